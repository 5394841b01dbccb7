/**
 * Runs the tests: `hack/test.ts [FILE|FOLDER…]`, by default all of them. Files are dealt to several processes of mocha
 * ($JOBS, by default two more than there are processors, since many tests wait, but at most four). Prints what mocha
 * prints, with one summary at the end, and exits with a failure's status.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { missingSetups } from '../test/support/setup-ids.ts'
import { MochaSummary } from './support/mocha-summary.ts'
import { testPlan } from './support/test-plan.ts'

const root = join(import.meta.dirname, '..')
const summary = new MochaSummary()

const ALL = ['unit', 'integration', 'e2e'].map(folder => join(root, 'test', folder))

/** Returns the test files that are named, and those below folders that are named, by their paths from the root. */
function testFiles(named: readonly string[]): string[] {
  return named.flatMap(path => {
    const fromRoot = relative(root, resolve(path)).replaceAll('\\', '/')
    return isFolder(path) ? filesBelow(fromRoot) : [fromRoot]
  })
}

const isFolder = (path: string): boolean => statSync(path).isDirectory()

function filesBelow(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return names.filter(name => name.endsWith('.test.ts')).map(name => `${folder}/${name.replaceAll('\\', '/')}`)
}

/** Whether everything has passed. */
async function run(files: readonly string[], jobs: number): Promise<boolean> {
  const parallel = jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []
  const color = process.stdout.isTTY ? ['--color'] : []
  const mocha = spawn(process.execPath, [join(root, 'node_modules/mocha/bin/mocha.js'), ...parallel, ...color, ...files], {
    cwd: root,
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  const ended = once(mocha, 'exit')
  summary.begin()
  for await (const line of createInterface({ input: mocha.stdout })) {
    const printed = summary.take(line)
    if (printed !== undefined) console.log(printed)
  }
  return (await ended)[0] === 0
}

const begun = performance.now()
const given = process.argv.length > 2 ? process.argv.slice(2) : ALL
const files = testPlan(testFiles(given))
const jobs = Number(process.env.JOBS) || Math.min(availableParallelism() + 2, 4)
const passed = await run(files, jobs)
console.log(summary.text(performance.now() - begun))
if (given.some(isFolder)) {
  for (const { ids, reason } of missingSetups()) console.log(`  left out: stores ${ids.join(', ')}: ${reason}`)
  if (!process.env.STORES)
    console.log(
      '  kills of stores and histories beside them ran on an etcd of its own and on kine with SQLite, if they are here: make test-stores takes all stores',
    )
}
process.exitCode = passed ? 0 : 1
