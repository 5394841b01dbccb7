import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { fieldErrorText } from '../../../../src/meta/field-error.ts'
import { flowSchemaResource } from '../../../../src/resources/flowcontrol/flow-schema/definition.ts'
import { priorityLevelConfigurationResource } from '../../../../src/resources/flowcontrol/priority-level-configuration/definition.ts'
import { decode } from '../../../../src/schema/decode.ts'
import { infoOf } from '../../../support/flow.ts'
import { hookContext } from '../../../support/hook-context.ts'
import { kindErrors } from '../../../support/kind-errors.ts'

const lines = readFileSync(join(import.meta.dirname, '../../../fixtures/flow/validated-1.33.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')

describe("flow schemas and priority levels, upstream's validation test cases", () => {
  for (const [i, line] of lines.entries()) {
    const { kind, version = 'v1', object, errors } = JSON.parse(line)
    it(`${i} ${kind} ${version} ${errors.join(', ')}`, () => {
      const { hub, strategy } = kind === 'FlowSchema' ? flowSchemaResource : priorityLevelConfigurationResource
      const given = {
        ...(decode(hub.schema, object, { keepEmpty: true }) as object),
        kind,
        apiVersion: `flowcontrol.apiserver.k8s.io/${hub.name}`,
      }
      const context = hookContext({ request: { info: infoOf({ version }), headers: {} } as never })
      expect(kindErrors(strategy, given as never, undefined, context).map(fieldErrorText)).to.deep.equal(errors)
    })
  }
})
