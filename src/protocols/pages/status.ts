/** The state of the server, as all its pages report it. */
export interface ServerStatus {
  readonly state: 'ok' | 'shutting_down' | 'no_directory';
  readonly version: string;
  /** Seconds. */
  readonly uptimeS: number;
}

/** The same for people. */
export const stateText: Readonly<Record<ServerStatus['state'], string>> = {
  ok: 'ok',
  shutting_down: 'shutting down',
  no_directory: 'no access to the working directory',
};
