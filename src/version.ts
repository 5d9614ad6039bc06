/** Version of this package, as every front and `--version` report it. The build copies it into the bundle. */
import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;
