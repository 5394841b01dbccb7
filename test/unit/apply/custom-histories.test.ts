import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../src/api/apiextensions/json-schema-props.ts'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { CustomHistory, type HistoryAnswer, type HistoryStep } from '../../support/custom-history.ts'
import { fixture } from './fixture.ts'

interface History {
  readonly name: string
  readonly steps: readonly (HistoryStep & HistoryAnswer)[]
}

const props = JSON.parse(readFileSync(new URL('../../fixtures/apply/custom-schema.json', import.meta.url), 'utf8')) as JsonSchemaProps
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`
const identity = ({ manager, operation, subresource }: JsonObject): string => JSON.stringify([manager, operation, subresource])
/** Entries were recorded without their times, and so in another order. */
const inOrder = (managed: readonly JsonObject[] | undefined): JsonObject[] | undefined =>
  managed?.toSorted((a, b) => (identity(a) < identity(b) ? -1 : 1))

describe('histories of a custom kind with every type of list and map', () => {
  for (const { name, steps } of fixture<History>('custom-histories'))
    it(`match kube-apiserver, ${name}`, () => {
      const history = new CustomHistory(props)
      for (const [i, step] of steps.entries()) {
        const got = history.write(step, at(i))
        const why = `${i}: ${step.op} by ${step.manager} of ${JSON.stringify(step.body)}`
        expect([got.status, got.message], why).to.deep.equal([step.status, step.message])
        expect(got.object, why).to.deep.equal(step.object)
        expect(inOrder(got.managed), why).to.deep.equal(inOrder(step.managed))
      }
    })
})
