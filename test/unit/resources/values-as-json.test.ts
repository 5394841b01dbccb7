import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { isStatusError } from '../../../src/meta/status.ts'
import { customResourceDefinitionResource } from '../../../src/resources/apiextensions/custom-resource-definition/definition.ts'
import { certificateSigningRequestResource } from '../../../src/resources/certificates/certificate-signing-request/definition.ts'
import { configMapResource } from '../../../src/resources/core/config-map/definition.ts'
import { csiNodeResource } from '../../../src/resources/storage/csi-node/definition.ts'
import { KindCases } from '../../support/kind-cases.ts'

/** The errors of a write in 1.34, one text per cause. */
async function errorsOf(of: ResourceDefinition, next: object, old?: object, metadata: object = {}): Promise<string[]> {
  const cases = new KindCases(of, parseGates('1.34'))
  try {
    await cases.create(old ?? next, metadata)
    if (old) await cases.update(next, {}, '')
    return []
  } catch (error) {
    if (!isStatusError(error, 'Invalid')) throw error
    return (error.worded('1.34').status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
  }
}

const owner = (name: string): object => ({ apiVersion: 'v1', kind: 'Pod', name, uid: 'u', controller: true })
const definition = (rule: object): object => ({
  spec: {
    group: 'example.com',
    names: { plural: 'a', kind: 'A' },
    scope: 'Namespaced',
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-validations': [rule] } } },
    ],
  },
})
const drivers = (nodeID: string): object => ({
  spec: { drivers: [{ name: 'd.example.com', nodeID, topologyKeys: ['t'], allocatable: { count: 1 } }] },
})

describe('structs in errors of 1.34', () => {
  it('are JSON: owners', async () => {
    const shown = ['a', 'b'].map(name => `{"apiVersion":"v1","kind":"Pod","name":"${name}","uid":"u","controller":true}`)
    const [error] = await errorsOf(configMapResource, {}, undefined, { ownerReferences: [owner('a'), owner('b')] })
    expect(error).to.include(
      `metadata.ownerReferences: Invalid value: [${shown.join()}]: Only one reference can have Controller set to true`,
    )
  })

  it('are JSON: bytes', async () => {
    const [error] = await errorsOf(certificateSigningRequestResource, {
      spec: { request: 'YQ==', usages: ['client auth'], signerName: 'example.com/a' },
    })
    expect(error).to.equal('spec.request: Invalid value: "YQ==": PEM block type must be CERTIFICATE REQUEST')
  })

  it('are JSON: rules, with the values of pointers', async () => {
    const errors = await errorsOf(customResourceDefinitionResource, definition({ rule: 'self.x > 1', reason: 'FieldValueInvalid' }))
    expect(errors.join('\n')).to.include(
      'Invalid value: {"Rule":"self.x \\u003e 1","Message":"","MessageExpression":"","Reason":"FieldValueInvalid","FieldPath":"","OptionalOldSelf":null}: compilation failed',
    )
  })

  it('are JSON: drivers of nodes', async () => {
    expect(await errorsOf(csiNodeResource, drivers('m'), drivers('n'))).to.deep.equal([
      'spec.drivers: Invalid value: {"Name":"d.example.com","NodeID":"m","TopologyKeys":["t"],"Allocatable":{"Count":1}}: field is immutable',
    ])
  })
})
