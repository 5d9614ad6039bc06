export declare function translate(files: readonly string[]): Promise<void>;
