/**
 * Cost of explorations, as ratios to their limits: the time of a run of a controller in TypeScript (0.3 s), and that of
 * a run of a test binary in Go beside the time of the binary (0.6 s), on two processors without other work. On a busy
 * machine the time of a run is longer than what it waits and computes, which is the second ratio of TypeScript. Run:
 * node --import tsx test/bench/explore.ts. RUNS (200).
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
const LIMITS = { typescript: 0.3, go: 0.6 } as const
const GO = join(import.meta.dirname, '../examples/races/go')
const explore = explorer({ startControlPlane, partsOf })

/** Measures the runs of an exploration without its start and undisturbed runs. */
async function inTypeScript(name: string, test: ExploreTest, options: ExploreOptions): Promise<void> {
  const now = () => ({ wall: performance.now(), cpu: process.cpuUsage(), loop: performance.eventLoopUtilization() })
  let begun = now()
  const log = (line: string): void => {
    if (line.startsWith('undisturbed')) begun = now()
  }
  const found = await explore(test, { ...options, runs: RUNS, log })
  const { user, system } = process.cpuUsage(begun.cpu)
  const run = (performance.now() - begun.wall) / 1000 / RUNS
  const cpu = (user + system) / 1e6 / RUNS
  const own = cpu + performance.eventLoopUtilization(begun.loop).idle / 1000 / RUNS
  const ratio = (seconds: number): string => (seconds / LIMITS.typescript).toFixed(2)
  console.log(
    `${name.padEnd(20)} ${ratio(run)} of the limit, ${ratio(own)} waiting and computing: ${run.toFixed(3)} s a run, ${cpu.toFixed(3)} s of CPU, ${found.unrepeated.length} unrepeated of ${RUNS}; load ${loadavg()[0]?.toFixed(1)}`,
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
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
    const ratio = (mean(beside) / LIMITS.go).toFixed(2)
    console.log(
      `${folder.padEnd(20)} ${ratio} of the limit: ${mean(own).toFixed(2)} s in the test, ${mean(beside).toFixed(2)} s beside it, of ${own.length} runs in Go; load ${loadavg()[0]?.toFixed(1)}`,
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

await inTypeScript('half-done-restart', halfDoneRestart.testOf(halfDoneRestart.mended), halfDoneRestart.options)
await inTypeScript('missed-deletion', missedDeletion.testOf(missedDeletion.mended), missedDeletion.options)
await inTypeScript('stale-read', staleRead.testOf(staleRead.mended), staleRead.options)
for (const folder of ['halfdonerestart', 'misseddeletion', 'staleread']) await inGo(folder)
