/** The state of the server, as all its pages report it. */
export interface ServerStatus {
  readonly state: 'ok' | 'shutting_down' | 'no_directory' | 'no_descriptors';
  readonly version: string;
  /** Seconds. */
  readonly uptimeS: number;
}

/** The same in human-readable form. */
export const stateText: Readonly<Record<ServerStatus['state'], string>> = {
  ok: 'ok',
  shutting_down: 'shutting down',
  no_directory: 'no access to the working directory',
  no_descriptors: 'too few descriptors to start a thread: only short calls are answered',
};
