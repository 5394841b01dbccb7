/**
 * Prints how a published release of Kubernetes differs from the previous one, in the form of this project's tables, and with `--write` adds the states of feature gates to
 * `src/lifecycle/gate-table.ts`. The Go command downloads the modules to its cache. docs/how-to/add-a-release.md says what is left to do by hand.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { lifecycleDifferences, typeDifferences } from './releases/differences.ts'
import { type GateStates, readGates, statesIn, withGates } from './releases/go-gates.ts'
import { readLifecycles } from './releases/go-lifecycles.ts'
import { readGoTypes } from './releases/go-structs.ts'

const TABLE = join(import.meta.dirname, '../src/lifecycle/gate-table.ts')
/** Modules with feature gates. Those of k8s.io/kubernetes are in no published module. */
const GATED = ['apiserver', 'apiextensions-apiserver', 'component-base', 'client-go']
const CHECKLIST = `By hand (docs/how-to/add-a-release.md):
- gates of kubernetes proper, and which gates require others: pkg/features/kube_features.go
- the effect of each new gate
- discovery, default versions and storage versions: pkg/controlplane/instance.go, pkg/kubeapiserver/default_storage_factory_builder.go
- validation, defaults, warnings and printed columns of kinds: pkg/apis, pkg/registry, pkg/printers
- metrics: those that the module apiserver adds, removes or promotes`

const { values, positionals } = parseArgs({ allowPositionals: true, options: { since: { type: 'string' }, write: { type: 'boolean' } } })
const [version] = positionals
if (version === undefined || values.since === undefined) fail('usage: hack/add-release v0.38.0-beta.0 --since v0.37.2 [--write]')
const scratch = mkdtempSync(join(tmpdir(), 'add-release-'))
try {
  main(version, values.since, values.write === true)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function main(next: string, old: string, write: boolean): void {
  const release = `1.${minorOf(next)}`
  const [before, after] = [folderOf('api', old), folderOf('api', next)]
  for (const path of new Set([...versionsIn(before), ...versionsIn(after)])) {
    const types = typeDifferences(readGoTypes(fileIn(before, path, 'types.go')), readGoTypes(fileIn(after, path, 'types.go')), release)
    const file = 'zz_generated.prerelease-lifecycle.go'
    const kinds = lifecycleDifferences(readLifecycles(fileIn(before, path, file)), readLifecycles(fileIn(after, path, file)))
    if (kinds.length > 0) print(`# Lifecycles of ${path} (src/lifecycle/kinds.ts)`, kinds)
    if (types.length > 0) print(`# src/api/${path}.types`, types)
  }
  const table = readFileSync(TABLE, 'utf8')
  const { text, changes } = withGates(table, statesIn(gatesOf(old), minorOf(old)), statesIn(gatesOf(next), minorOf(next)), minorOf(next))
  print('# src/lifecycle/gate-table.ts', changes)
  if (write) writeFileSync(TABLE, text)
  print(CHECKLIST, [])
}

function print(title: string, lines: readonly string[]): void {
  console.log([title, ...lines, ''].join('\n'))
}

/** Returns 38 for `v0.38.0-beta.0`. */
function minorOf(version: string): number {
  return Number(/^v0\.(\d+)\./.exec(version)?.[1] ?? fail(`${version} is not a version such as v0.38.0`))
}

/** Downloads a module, and returns its folder. A Go command that is older than the module requires only fetches the archive, which is unpacked here. */
function folderOf(module: string, version: string): string {
  const name = `k8s.io/${module}@${version}`
  const { stdout } = spawnSync('go', ['mod', 'download', '-json', name], { cwd: scratch, encoding: 'utf8' })
  const { Dir, Zip, Error: error } = JSON.parse(stdout || '{}') as { Dir?: string; Zip?: string; Error?: string }
  if (Dir !== undefined) return Dir
  if (Zip === undefined) return fail(error ?? `go mod download ${name} failed`)
  const folder = join(scratch, name)
  if (!existsSync(folder)) execFileSync('python3', ['-m', 'zipfile', '-e', Zip, scratch])
  return folder
}

/** Returns the folders of group versions: `batch/v1`. */
function versionsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(group => (group.isDirectory() ? versionFolders(folder, group.name) : []))
}

function versionFolders(folder: string, group: string): string[] {
  const names = readdirSync(join(folder, group)).filter(name => /^v\d/.test(name) && existsSync(join(folder, group, name, 'types.go')))
  return names.map(name => `${group}/${name}`)
}

function fileIn(folder: string, path: string, name: string): string {
  const file = join(folder, path, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Returns the gates of all modules in a version. */
function gatesOf(version: string): GateStates {
  const files = GATED.flatMap(module => goFiles(folderOf(module, version)))
  return new Map(files.flatMap(file => [...readGates(readFileSync(file, 'utf8'))]))
}

/** Returns the files that declare feature gates. */
function goFiles(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => /(?:^|\/)(?:kube|known)_features\.go$/.test(name))
  return names.map(name => join(folder, name))
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
