/**
 * Judges the scheduler by tables and scenarios: `node --import tsx test/oracle/scheduler.ts FOLDER [RELEASE]`. The
 * folder has `plugins/NAME.yaml` and `scenarios.yaml`. Prints each difference and each entry that is left out, and the
 * counts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { load } from 'js-yaml'
import type { Release } from '../../src/lifecycle/release.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import { differences, expectationIn, type PluginCase, pluginOf } from './plugin-cases.ts'
import { preemptionDifferences } from './preemption-cases.ts'
import { runScenario, type SchedulerScenario } from './scheduler-scenarios.ts'

const [folder = '', release = '1.33'] = process.argv.slice(2) as [string, Release]
const read = <T>(path: string): T => load(readFileSync(join(folder, path), 'utf8')) as T

const count = { holds: 0, differs: 0, 'left out': 0 }
const note = (result: keyof typeof count, id: string, text = ''): void => {
  count[result]++
  if (result !== 'holds') console.log(`${result}: ${id}: ${text}`)
}
const summary = (title: string): void => {
  console.log(`${title}: ${JSON.stringify(count)}`)
  Object.assign(count, { holds: 0, differs: 0, 'left out': 0 })
}

async function runCase(name: string, one: PluginCase): Promise<void> {
  const expected = expectationIn(one, release)
  const plugin = pluginOf(name, one, release)
  if (expected === undefined) note('left out', one.id, 'of a later release')
  else if (name === 'DefaultPreemption') {
    const found = await preemptionDifferences(one, expected, release)
    if (found === undefined) note('left out', one.id, 'needs extenders, a plugin that fails, or several cycles')
    else note(found.length === 0 ? 'holds' : 'differs', one.id, found.join('; '))
  } else if (plugin === undefined) note('left out', one.id, `${name} is not run by tables`)
  else
    try {
      const found = differences(plugin, one, expected, release)
      note(found.length === 0 ? 'holds' : 'differs', one.id, found.join('; '))
    } catch (error) {
      note('differs', one.id, String(error))
    }
}

for (const file of existsSync(join(folder, 'plugins')) ? readdirSync(join(folder, 'plugins')).sort() : []) {
  const { cases } = read<{ cases: readonly PluginCase[] }>(`plugins/${file}`)
  for (const one of cases) await runCase(basename(file, '.yaml'), one)
  summary(basename(file, '.yaml'))
}

if (existsSync(join(folder, 'scenarios.yaml'))) {
  const flags = {
    profile: 'cluster',
    controllers: ['scheduler', 'persistentvolume-binder-controller'],
    'disable-admission-plugins': ['ServiceAccount', 'TaintNodesByCondition', 'DefaultTolerationSeconds'],
    'emulated-version': release,
  }
  const original = await startControlPlane({ flags })
  for (const scenario of read<{ scenarios: readonly SchedulerScenario[] }>('scenarios.yaml').scenarios) {
    if (scenario.since !== undefined && Number(scenario.since.split('.')[1]) > Number(release.split('.')[1])) {
      note('left out', scenario.id, 'of a later release')
      continue
    }
    const plane = await original.fork()
    const found = await runScenario(plane, scenario, release).catch((error: unknown) => [String(error)])
    if ('leftOut' in found) note('left out', scenario.id, found.leftOut)
    else note(found.length === 0 ? 'holds' : 'differs', scenario.id, found.join('; '))
    await plane.stop()
  }
  await original.stop()
  summary('scenarios')
}
