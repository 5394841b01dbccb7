import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BUILT_CONTROLLERS } from '../../src/controllers/names.ts'
import { controllerOracles } from '../oracle/files.ts'
import { mismatch } from '../oracle/match.ts'
import { ScenarioRun, UnsupportedStep } from '../oracle/scenario-run.ts'
import { World } from '../oracle/world.ts'

/** Folder with the tables and scenarios of controllers: the project's copies, unless $CLUSTER_ORACLE names another one. */
const folder = process.env.CLUSTER_ORACLE ?? join(import.meta.dirname, '../fixtures/cluster')
const START = '2030-01-01T00:00:00Z'

/** A table's function, or the reason why it has none. */
type TableFunction = ((input: never) => unknown) | string

const built: readonly string[] = BUILT_CONTROLLERS

/** Controllers of files that are named otherwise. */
const CONTROLLERS: Readonly<Record<string, string>> = {
  endpointslicemirroring: 'endpointslice-mirroring-controller',
}

for (const { controller, tables, scenarios } of controllerOracles(folder)) {
  const isBuilt = built.includes(CONTROLLERS[controller] ?? `${controller}-controller`)
  describe(`oracle of ${controller}`, () => {
    const file = join(import.meta.dirname, '../oracle/tables', `${controller}.ts`)
    for (const { table, entries } of tables)
      describe(`table ${table}`, () => {
        let calculate: TableFunction = 'not written'
        before(async () => {
          if (existsSync(file)) calculate = ((await import(file)) as { TABLES: Record<string, TableFunction> }).TABLES[table] ?? 'not written'
        })
        for (const entry of entries)
          it(entry.name, async function () {
            if (typeof calculate === 'string') return this.skip()
            const difference = mismatch(entry.out, await calculate(entry.in as never))
            if (difference !== undefined) throw new Error(`${JSON.stringify(entry.in)}: ${difference}`)
          })
      })
    describe('scenarios', () => {
      let original: World
      before(async function () {
        if (!isBuilt) return this.skip()
        original = await World.start(START)
      })
      after(() => original?.plane.stop())
      for (const scenario of scenarios)
        it(`scenario ${scenario.name}`, async function () {
          if (scenario.startAt !== undefined) this.skip()
          const world = await original.fork()
          try {
            await new ScenarioRun(world).run(scenario)
          } catch (error) {
            if (error instanceof UnsupportedStep) this.skip()
            throw error
          } finally {
            await world.plane.stop()
          }
        })
    })
  })
}
