/**
 * Adds a published release of Kubernetes to this project's tables, as far as the modules (k8s.io/api and others) tell,
 * and prints what is left to a person. Without `--write` it prints the changes only. The Go command downloads the
 * modules to its cache. docs/how-to/add-a-release.md leads through it.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { textDiff } from '../src/lib/unified-diff.ts'
import { BY_HAND } from './releases/checklist.ts'
import { GoModules } from './releases/go-modules.ts'
import { readTables, type Tables, writeTables } from './releases/tables.ts'
import { withRelease } from './releases/with-release.ts'

const USAGE = 'usage: hack/add-release v0.38.0-beta.0 --since v0.37.2 [--write] [--tree FOLDER]'
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { since: { type: 'string' }, write: { type: 'boolean' }, tree: { type: 'string' } },
})
const [version] = positionals
if (version === undefined || values.since === undefined) fail(USAGE)
const scratch = mkdtempSync(join(tmpdir(), 'add-release-'))
try {
  main(resolve(values.tree ?? join(import.meta.dirname, '..')), values.since, version)
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function main(tree: string, old: string, next: string): void {
  const before = readTables(tree)
  const { tables, notes } = withRelease(before, new GoModules(old, scratch), new GoModules(next, scratch))
  const formatted = new Map(
    [...tables].map(([path, text]) => [path, text === before.get(path) || !path.endsWith('.ts') ? text : formattedText(path, text)]),
  )
  if (values.write === true) writeTables(tree, formatted)
  else printChanges(before, formatted)
  for (const [subject, lines] of notes) print(`# ${subject}`, lines)
  print('# By hand (docs/how-to/add-a-release.md)', BY_HAND)
}

/** Returns the text of a table as `make lint` formats it. */
function formattedText(path: string, text: string): string {
  const root = join(import.meta.dirname, '..')
  return execFileSync('node_modules/.bin/biome', ['format', `--stdin-file-path=${path}`], { cwd: root, input: text, encoding: 'utf8' })
}

function printChanges(before: Tables, after: Tables): void {
  for (const [path, text] of after) {
    const changes = textDiff(before.get(path) ?? '', text)
    if (changes !== '') console.log(`--- ${path}\n+++ ${path}\n${changes}`)
  }
}

function print(title: string, lines: readonly string[]): void {
  console.log([title, ...lines.map(line => `- ${line}`), ''].join('\n'))
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
