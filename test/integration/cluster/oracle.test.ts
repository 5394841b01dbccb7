import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isControllerBuilt } from '../../oracle/controllers.ts'
import { controllerOracles } from '../../oracle/files.ts'
import { mismatch } from '../../oracle/match.ts'
import { candidatesOf } from '../../oracle/one-of.ts'
import { UnsupportedStep } from '../../oracle/references.ts'
import { ScenarioRun } from '../../oracle/scenario-run.ts'
import { Worlds } from '../../oracle/world.ts'

/**
 * Folder with the tables and scenarios of controllers: the project's copies, unless $CLUSTER_ORACLE names another one.
 */
const folder = process.env.CLUSTER_ORACLE ?? join(import.meta.dirname, '../../fixtures/cluster')
const START = '2030-01-01T00:00:00Z'

/** A table's function, or the reason why it has none. */
type TableFunction = ((input: never) => unknown) | string

for (const { controller, tables, scenarios } of controllerOracles(folder)) {
  describe(`oracle of ${controller}`, () => {
    const file = join(import.meta.dirname, '../../oracle/tables', `${controller}.ts`)
    for (const { table, entries } of tables)
      describe(`table ${table}`, () => {
        let calculate: TableFunction = 'not written'
        before(async () => {
          if (existsSync(file))
            calculate = ((await import(file)) as { TABLES: Record<string, TableFunction> }).TABLES[table] ?? 'not written'
        })
        for (const entry of entries)
          it(entry.name, async function () {
            if (typeof calculate === 'string') return this.skip()
            const differences = candidatesOf(await calculate(entry.in as never)).map(value => mismatch(entry.out, value))
            const difference = differences.includes(undefined) ? undefined : differences.join('; ')
            if (difference !== undefined) throw new Error(`${JSON.stringify(entry.in)}: ${difference}`)
          })
      })
    describe('scenarios', () => {
      const worlds = new Worlds(START)
      before(function () {
        if (!isControllerBuilt(controller)) this.skip()
      })
      after(() => worlds.stop())
      for (const scenario of scenarios)
        it(`scenario ${scenario.name}`, async function () {
          const world = await worlds.for(scenario)
          try {
            await new ScenarioRun(world, scenario).run(scenario)
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
