import { copyFileSync, mkdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'

/** All that a browser loads of the console has no more bytes. */
const MOST_BYTES = 300 * 1024

/**
 * Bundles what browsers get of the console, from src/console into a folder, with the licence of what is in it that is
 * not ours.
 */
export async function buildConsole(root: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: [
      { in: join(root, 'src/console/main.tsx'), out: 'console' },
      { in: join(root, 'src/console/console.css'), out: 'console' },
    ],
    outdir: folder,
    bundle: true,
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    logLevel: 'warning',
  })
  for (const name of ['index.html', 'icon.svg']) copyFileSync(join(root, 'src/console', name), join(folder, name))
  copyFileSync(
    join(createRequire(join(root, 'package.json')).resolve('preact/package.json'), '../LICENSE'),
    join(folder, 'LICENSE.preact.txt'),
  )
  const bytes = ['console.js', 'console.css', 'index.html', 'icon.svg'].reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  if (bytes > MOST_BYTES) throw new Error(`the console has ${bytes} bytes, of which ${MOST_BYTES} are allowed`)
}
