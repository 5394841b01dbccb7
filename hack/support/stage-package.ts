import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { declarationsOf } from './declarations.ts'
import { isExternal, NATIVE_PACKAGES } from './external-packages.ts'

/** Types of the API client, which several modules mention. */
const CLIENT_TYPES = ['src/api/meta/object.ts', 'src/clients/api-client.ts']

/**
 * Modules whose exports the declarations in dist describe, by the name of the declarations. They mention types of each
 * other only.
 */
const DECLARED = {
  index: { modules: ['src/process/start-server.ts'], typesOf: CLIENT_TYPES },
  testing: {
    modules: [
      'src/faults/fault-spec.ts',
      'src/meta/why.ts',
      'src/why/types.ts',
      'src/testing/types.ts',
      'src/testing/start-control-plane.ts',
      'src/explore/types.ts',
    ],
    typesOf: CLIENT_TYPES,
  },
  client: {
    modules: ['src/cluster/shared/informer.ts', 'src/cluster/package/client.ts'],
    typesOf: [...CLIENT_TYPES, 'src/lib/clock.ts', 'src/lib/log.ts', 'src/cluster/shared/object-store.ts'],
  },
  check: { modules: ['src/check/types.ts', 'src/check/check.ts'] },
  cel: { modules: ['src/cel/package/cel.ts'] },
}

/** Members of package.json that a package is published with. */
const PUBLISHED = ['name', 'version', 'description', 'keywords', 'license', 'type', 'engines', 'bin', 'exports', 'files']

const PACKAGE_README = 'hack/package-readme.md'

/** The text of a page, in which links to pages that the package does not have are texts. */
function withoutLinksElsewhere(directory: string, page: string): string {
  const text = readFileSync(join(directory, page), 'utf8')
  return text.replaceAll(/\[([^\]\n]+)\]\(([^)\s#:]+)(?:#[^)\s]*)?\)/g, (link, words: string, to: string) =>
    existsSync(join(directory, dirname(page), to)) ? link : words,
  )
}

/**
 * Fills a directory with what the package consists of, from the sources and a built dist: as `files` of package.json
 * has it, with declarations of types, and with those dependencies alone that are not in the bundles.
 */
export function stagePackage(root: string, directory: string): void {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown> & {
    readonly files: readonly string[]
    readonly dependencies: Readonly<Record<string, string>>
  }
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  for (const file of [...manifest.files, 'LICENSE'])
    cpSync(join(root, file), join(directory, file), { recursive: true, filter: name => !name.endsWith('.map') })
  // The page of the repository links to what is not in the package.
  cpSync(join(root, PACKAGE_README), join(directory, 'README.md'))
  for (const page of manifest.files.filter(file => file.endsWith('.md')))
    writeFileSync(join(directory, page), withoutLinksElsewhere(directory, page))
  for (const name of ['binnacle', 'kube-apiserver']) chmodSync(join(directory, 'bin', name), 0o755)
  const declarations = declarationsOf(root, DECLARED)
  for (const [name, text] of declarations)
    for (const extension of ['d.ts', 'd.cts']) writeFileSync(join(directory, 'dist', `${name}.${extension}`), text)
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies).filter(([name]) => isExternal(name) || NATIVE_PACKAGES.includes(name)),
  )
  const published = Object.fromEntries(PUBLISHED.filter(name => name in manifest).map(name => [name, manifest[name]]))
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify({ ...published, dependencies }, undefined, 2)}\n`)
}
