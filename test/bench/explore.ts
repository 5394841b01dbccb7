/**
 * Cost of explorations: seconds and processor time of a run of a controller in TypeScript, and the time of a run of a test binary in Go beside that of the binary. The limits are 0.3 s and 0.6 s on two
 * processors without other work. Run: node --import tsx test/bench/explore.ts. RUNS (200).
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runExplore } from '../../src/explore/command/command.ts'
import { explorer } from '../../src/explore/explore.ts'
import type { ExploreOptions, ExploreTest } from '../../src/explore/types.ts'
import { partsOf } from '../../src/testing/running.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import * as halfDoneRestart from '../examples/races/half-done-restart.ts'
import * as missedDeletion from '../examples/races/missed-deletion.ts'
import * as staleRead from '../examples/races/stale-read.ts'

const RUNS = Number(process.env.RUNS ?? 200)
const GO = join(import.meta.dirname, '../examples/races/go')
const explore = explorer({ startControlPlane, partsOf })

/** Measures the runs of an exploration without its start and undisturbed runs. */
async function inTypeScript(name: string, test: ExploreTest, options: ExploreOptions): Promise<void> {
  let begun = { wall: performance.now(), cpu: process.cpuUsage() }
  const log = (line: string): void => {
    if (line.startsWith('undisturbed')) begun = { wall: performance.now(), cpu: process.cpuUsage() }
  }
  const found = await explore(test, { ...options, runs: RUNS, log })
  const { user, system } = process.cpuUsage(begun.cpu)
  const wall = (performance.now() - begun.wall) / 1000
  console.log(
    `${name.padEnd(20)} ${RUNS} runs: ${wall.toFixed(1)} s, ${((user + system) / 1000 / RUNS).toFixed(0)} ms of CPU a run, ${found.unrepeated.length} unrepeated; load ${loadavg()[0]?.toFixed(1)}`,
  )
}

/** Measures what a run takes beside the test binary, which notes when it begins and ends. */
async function inGo(folder: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'explore-bench-'))
  try {
    const [binary, times] = [join(directory, 'test'), join(directory, 'times')]
    const { status, stderr } = spawnSync('go', ['test', '-c', '-o', binary, `./${folder}`], { cwd: GO, encoding: 'utf8' })
    if (status !== 0) return console.log(`${folder}: the tests do not compile here: ${stderr}`)
    writeFileSync(times, '')
    const noting = `date +%s%N >> '${times}'; '${binary}' -test.run TestMended; code=$?; date +%s%N >> '${times}'; exit $code`
    const flags = ['--agent', 'races-controller*', '--apply', join(GO, 'definitions.yaml'), '--runs', String(RUNS)]
    await runExplore([...flags, '--', 'sh', '-c', noting], { out: () => {}, err: console.error }, { startControlPlane, partsOf })
    const moments = readFileSync(times, 'utf8').trim().split('\n').map(Number)
    const own: number[] = []
    const beside: number[] = []
    for (let i = 2; i + 1 < moments.length; i += 2) {
      own.push(((moments[i + 1] ?? 0) - (moments[i] ?? 0)) / 1e9)
      beside.push(((moments[i] ?? 0) - (moments[i - 1] ?? 0)) / 1e9)
    }
    const mean = (values: readonly number[]): string => (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2)
    console.log(`${folder.padEnd(20)} ${own.length} runs in Go: ${mean(own)} s in the test, ${mean(beside)} s beside it; load ${loadavg()[0]?.toFixed(1)}`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

await inTypeScript('half-done-restart', halfDoneRestart.testOf(halfDoneRestart.mended), halfDoneRestart.options)
await inTypeScript('missed-deletion', missedDeletion.testOf(missedDeletion.mended), missedDeletion.options)
await inTypeScript('stale-read', staleRead.testOf(staleRead.mended), staleRead.options)
for (const folder of ['halfdonerestart', 'misseddeletion', 'staleread']) await inGo(folder)
