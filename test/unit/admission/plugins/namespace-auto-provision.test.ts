import { expect } from 'chai'
import { namespaceAutoProvision } from '../../../../src/admission/plugins/namespace-auto-provision.ts'
import { alreadyExistsError, forbiddenError, internalServerError, notFoundError } from '../../../../src/meta/status.ts'
import { configMapResource } from '../../../../src/resources/core/config-map/definition.ts'
import { namespaceResource } from '../../../../src/resources/core/namespace/definition.ts'
import { admissionRequest, refusal } from '../../../support/admission-request.ts'

const NAMESPACES = { group: '', resource: 'namespaces' }
const MAP = { metadata: { name: 'm' } }
const notFound = notFoundError(NAMESPACES, 'ns')

/** Outcomes of `get` and `create`. Undefined for success. */
function provision({ get, create }: { get?: Error; create?: Error } = {}) {
  const asked: string[] = []
  const ending = (what: string, error: Error | undefined) => async (name: string) => {
    asked.push(`${what} ${name}`)
    if (error) throw error
    return { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }
  }
  return { plugin: namespaceAutoProvision({ get: ending('get', get), create: ending('create', create) }), asked }
}

describe('NamespaceAutoProvision', () => {
  const cases: [string, parameters: Parameters<typeof provision>[0], asked: string[], refused: string | undefined][] = [
    ['creates a missing namespace', { get: notFound }, ['get ns', 'create ns'], undefined],
    ['creates nothing if the namespace exists', {}, ['get ns'], undefined],
    [
      'accepts a namespace that was created concurrently',
      { get: notFound, create: alreadyExistsError(NAMESPACES, 'ns') },
      ['get ns', 'create ns'],
      undefined,
    ],
    [
      'rejects the object if the namespace is rejected',
      { get: notFound, create: forbiddenError(NAMESPACES, 'ns', 'no') },
      ['get ns', 'create ns'],
      'configmaps "m" is forbidden: namespaces "ns" is forbidden: no',
    ],
    [
      'rejects the object if namespaces cannot be read',
      { get: internalServerError('down') },
      ['get ns'],
      'configmaps "m" is forbidden: Internal error occurred: down',
    ],
  ]
  for (const [what, world, wanted, refused] of cases)
    it(what, async () => {
      const { plugin, asked } = provision(world)
      const request = admissionRequest(configMapResource, MAP, { namespace: 'ns' })
      expect(plugin.handles(request)).to.equal(true)
      expect(await refusal(plugin.mutate?.(request))).to.equal(refused)
      expect(asked).to.deep.equal(wanted)
    })

  const ignored: [string, Parameters<typeof admissionRequest>[0], object][] = [
    ['updates', configMapResource, { namespace: 'ns', operation: 'UPDATE' }],
    ['dry runs', configMapResource, { namespace: 'ns', dryRun: true }],
    ['cluster-scoped objects', configMapResource, { namespace: '' }],
    ['namespaces', namespaceResource, { namespace: 'ns' }],
  ]
  for (const [what, definition, parts] of ignored)
    it(`ignores ${what}`, () => {
      expect(provision().plugin.handles(admissionRequest(definition, MAP, parts))).to.equal(false)
    })
})
