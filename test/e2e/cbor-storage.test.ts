import { dirname } from 'node:path'
import { expect } from 'chai'
import { isCbor } from '../../src/codec/cbor.ts'
import { dataDirectoryValues } from '../../src/upgrade/report/sources/data-directory.ts'
import { createJsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const GADGETS = '/apis/example.org/v1/namespaces/default/gadgets'
const CBOR = '--feature-gates=CBORServingAndStorage=true'
const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' }
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.org' },
  spec: { group: 'example.org', scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true, schema }] },
}
const gadget = (name: string, value: number) => ({ apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name }, value })

describe('custom resources stored as CBOR', () => {
  let server: ServerProcess
  before(async () => {
    server = await createServerProcess(['--emulated-version=1.37', '--history=1h'])
  })
  after(() => server?.stop())

  /** Reports by name whether each stored gadget is CBOR. The server must be stopped. */
  const stored = async (): Promise<Record<string, boolean>> => {
    const found: Record<string, boolean> = {}
    for await (const { key, value } of dataDirectoryValues(dirname(server.storeDir)))
      if (key.startsWith('/registry/example.org/gadgets/')) found[key.slice(key.lastIndexOf('/') + 1)] = isCbor(value)
    return found
  }

  it('are written while the gate is on, and are read whether it is on or off', async () => {
    await server.start('ready', [CBOR])
    const client = createJsonClient(server.url)
    await client.must('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    await eventually('gadgets are served', async () => (await client.ask('GET', GADGETS)).status === 200)
    for (const name of ['a', 'b']) await client.must('POST', GADGETS, gadget(name, 1))
    const { metadata } = await client.must('GET', `${GADGETS}/a`)
    await client.must('PUT', `${GADGETS}/a`, { ...gadget('a', 2), metadata })
    const past = await client.ask('GET', `${GADGETS}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`)
    expect(past.body.items.map((item: { value: number }) => item.value)).to.deep.equal([1])
    client.close()
    await server.terminate()
    expect(await stored()).to.deep.equal({ a: true, b: true })
    await server.start()
    const later = createJsonClient(server.url)
    const { items } = await later.must('GET', GADGETS)
    expect(items.map(({ value }: { value: number }) => value)).to.deep.equal([2, 1])
    const before = await later.ask('GET', `${GADGETS}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`)
    expect(before.body.items.map((item: { value: number }) => item.value)).to.deep.equal([1])
    await later.must('PUT', `${GADGETS}/b`, { ...items[1], value: 3 })
    later.close()
    await server.terminate()
    expect(await stored()).to.deep.equal({ a: true, b: false })
  })
})
