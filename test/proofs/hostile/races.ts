/** `npm run prove -- hostile --races`: links are swapped under calls of every tool, 100,000 calls of each front and listener. */
import { withDirectory } from '../../directory.js';
import { startHttpServer } from '../../fronts/server-process.js';
import { httpClient, type Client } from '../../reliability/client.js';
import { attackLinks, insideFiles, outsideFiles, type AttackReport } from '../../reliability/link-attack.js';
import { randomFrom } from '../../reliability/random.js';
import { withServer } from '../../reliability/server.js';
import { say } from './report.js';

const options = { toolset: 'all', durability: 'none', cacheMb: 1 };

/** @throws AssertionError if an outside byte was revealed or changed */
export async function races(attempts: number, seed: number): Promise<void> {
  const fronts: Readonly<Record<string, (directory: string, use: (client: Client) => Promise<void>) => Promise<void>>> =
    {
      stdio: (directory, use) => withServer('stdio', directory, options, (server) => use(server.connect())),
      'HTTP (uWebSockets.js)': (directory, use) => overHttp(directory, false, use),
      'HTTP (node:http)': (directory, use) => overHttp(directory, true, use),
    };
  for (const [name, front] of Object.entries(fronts)) {
    await withDirectory(insideFiles, (directory) =>
      withDirectory(outsideFiles, async (outside) => {
        let report: AttackReport | undefined;
        const began = performance.now();
        await front(directory, async (client) => {
          report = await attackLinks([client], { directory, outside, attempts, random: randomFrom(seed) });
        });
        const { done = 0, swaps = 0 } = report ?? {};
        const seconds = Math.round((performance.now() - began) / 1000);
        say(
          `races over ${name}`,
          `${String(attempts)} calls, ${String(done)} of them done, ${String(swaps)} turns of the attacker, ${String(seconds)} s: nothing outside was read or written`,
        );
      }),
    );
  }
}

async function overHttp(
  directory: string,
  nodeListener: boolean,
  use: (client: Client) => Promise<void>,
): Promise<void> {
  const server = await startHttpServer(directory, options, { nodeListener });
  const client = httpClient(server.url, 8);
  try {
    await use(client);
  } finally {
    client.close();
    await server.stop();
  }
}
