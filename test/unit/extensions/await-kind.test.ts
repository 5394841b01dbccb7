import { expect } from 'chai'
import { Catalog } from '../../../src/catalog/catalog.ts'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import type { ResourceAccess } from '../../../src/catalog/resource-access.ts'
import { awaitKind } from '../../../src/extensions/await-kind.ts'
import { notFoundError } from '../../../src/meta/status.ts'
import { customResourceDefinitionResource } from '../../../src/resources/apiextensions/custom-resource-definition/definition.ts'
import { HeldTime } from '../../support/held-time.ts'
import { turns } from '../../support/waiting.ts'

const accessTo = (status: object | undefined): ResourceAccess =>
  ({
    get: async (id: { group: string; resource: string }, _: string, name: string) => {
      if (!status) throw notFoundError(id, name)
      return { kind: 'CustomResourceDefinition', metadata: { name }, status }
    },
  }) as unknown as ResourceAccess

const established = { conditions: [{ type: 'Established', status: 'True' }] }
const { signal } = new AbortController()

describe('awaitKind', () => {
  it('waits until the kind of an established definition is served', async () => {
    const catalog = new Catalog([])
    let settled = false
    const waiting = awaitKind(accessTo(established), catalog, 'apiextensions.k8s.io', 'customresourcedefinitions', signal).then(() => {
      settled = true
    })
    await turns()
    expect(settled).to.equal(false)
    catalog.replace([customResourceDefinitionResource as ResourceDefinition])
    await waiting
  })

  it('reports an error for a definition that is not established because of its CA bundle', async () => {
    const status = { conditions: [{ type: 'Established', status: 'False', reason: 'InvalidCABundle' }] }
    const failed: unknown = await awaitKind(accessTo(status), new Catalog([]), 'g', 'r', signal).catch((error: unknown) => error)
    expect(failed).to.include({ message: 'Internal error occurred: error resolving resource' })
  })

  for (const [what, status] of [
    ['the definition is missing', undefined],
    ['it is not established', { conditions: [{ type: 'NamesAccepted', status: 'True' }] }],
  ] as const) {
    it(`does not wait if ${what}`, async () => {
      const time = HeldTime.hold()
      try {
        await awaitKind(accessTo(status), new Catalog([]), 'g', 'r', signal)
      } finally {
        time.release()
      }
    })
  }
})
