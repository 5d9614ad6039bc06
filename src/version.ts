/** Version of this package, reported by every front and `--version`. The build inlines it into the bundle. */
import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;
