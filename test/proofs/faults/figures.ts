/** What a proof has counted, by what it is called. */
export type Figures = Readonly<Record<string, number | string>>;
