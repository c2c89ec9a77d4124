import { join } from 'node:path';
import { build, defaultClientConditions } from 'vite';
import { compressAssets } from './compress-assets.ts';

/** Bundles the console of `folder` into `outDir`: index.html, and files in `assets` whose names change with their content. */
export async function buildConsole(folder: string, outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: folder,
    base: '/console/',
    // Libraries name directives of server components, which a warning each would be about.
    logLevel: 'error',
    // The client is bundled from its sources, as everything runs here.
    resolve: { conditions: ['factmill-source', ...defaultClientConditions] },
    oxc: { jsx: { runtime: 'automatic' } },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir,
      emptyOutDir: true,
      target: ['chrome123', 'firefox121', 'safari17.5'],
      // The content security policy knows no data: URLs and no inline scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  await compressAssets(join(outDir, 'assets'));
}
