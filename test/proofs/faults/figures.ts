/** A proof's counts by name. */
export type Figures = Readonly<Record<string, number | string>>;
