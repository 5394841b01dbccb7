/**
 * Bundles src/bundle.ts into dist/main.cjs, src/process/primary-main.ts into dist/primary.cjs, src/commands/main.ts
 * into dist/commands.cjs, src/check/bundle.ts into dist/check.cjs, src/explore/bundle.ts into dist/explore.cjs
 * src/cel/package/cel.ts into dist/cel.mjs and dist/cel.cjs, and src/cluster/package/client.ts into dist/client.mjs and
 * dist/client.cjs, and keeps V8's compiled code of the server and of check beside (dist/main.cache,
 * dist/main-cluster.cache, dist/check.cache): a start then neither reads a thousand files nor compiles what it needs.
 * Packages that are loaded only after the server listens stay outside, and so do declarations of types, which are read
 * when they are first used, and their descriptions (dist/descriptions). Files of the console for browsers are in
 * dist/console.
 */
import { isAscii } from 'node:buffer'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { addonBeside } from './support/addon-beside.ts'
import { makeCheckCache, makeCodeCache } from './support/code-cache.ts'
import { buildConsole } from './support/console-files.ts'
import { EXTERNAL_PACKAGES } from './support/external-packages.ts'
import { copyReadFiles } from './support/read-files.ts'
import { withoutMimeTypes } from './support/without-mime-types.ts'
import { checkDeclarations, declarationTexts } from './types/check.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

const { errors } = checkDeclarations(declarationTexts(root))
if (errors.length > 0) throw new Error(errors.join('\n'))

rmSync(dist, { recursive: true, force: true })
await build({
  entryPoints: [
    { in: join(root, 'src/bundle.ts'), out: 'main' },
    { in: join(root, 'src/process/primary-main.ts'), out: 'primary' },
    { in: join(root, 'src/commands/main.ts'), out: 'commands' },
    { in: join(root, 'src/check/bundle.ts'), out: 'check' },
    { in: join(root, 'src/explore/bundle.ts'), out: 'explore' },
  ],
  outdir: dist,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // Files that modules read from their own folders are copied below.
  define: { 'import.meta.dirname': '__dirname' },
  // Lazy imports become lazy requires: a dynamic import would not use the code cache.
  supported: { 'dynamic-import': false },
  external: [...EXTERNAL_PACKAGES],
  plugins: [addonBeside, withoutMimeTypes],
  // Comments hold characters beyond ASCII: see below.
  minifyWhitespace: true,
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'external',
  logLevel: 'warning',
})

for (const [format, extension] of [
  ['esm', 'mjs'],
  ['cjs', 'cjs'],
] as const)
  await build({
    entryPoints: [
      { in: join(root, 'src/cel/package/cel.ts'), out: 'cel' },
      { in: join(root, 'src/cluster/package/client.ts'), out: 'client' },
    ],
    outdir: dist,
    outExtension: { '.js': `.${extension}` },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'external',
    logLevel: 'warning',
  })

copyReadFiles(root, dist)
await buildConsole(root, join(dist, 'console'))

makeCodeCache(root, join(dist, 'main.cache'))
makeCodeCache(root, join(dist, 'main-cluster.cache'), ['--profile=cluster'])
makeCheckCache(root, join(dist, 'check.cache'))
for (const file of ['main.cjs', 'primary.cjs', 'commands.cjs', 'check.cjs', 'explore.cjs'])
  if (!isAscii(readFileSync(join(dist, file))))
    throw new Error(
      `dist/${file} has characters beyond ASCII: V8 would keep all of it in its heap, or even in two bytes a character. Escape those in regular expressions`,
    )
const kilobytes = (file: string): string => `${Math.round(statSync(join(dist, file)).size / 1024)} kB`
console.log(`dist/main.cjs ${kilobytes('main.cjs')}, dist/main.cache ${kilobytes('main.cache')}`)
