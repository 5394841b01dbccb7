import { expect } from 'chai'
import type { JsonClient } from '../support/json-client.ts'
import { withServer } from '../support/suite-server.ts'
import { eventually } from '../support/waiting.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const SOURCES = '/apis/trial.example.com/v1/namespaces/default/sources'
const MERGE = 'application/merge-patch+json'
const UNSET = { observedGeneration: -1 }
const source = (name: string, more: object = {}) => ({
  apiVersion: 'trial.example.com/v1',
  kind: 'Source',
  metadata: { name },
  spec: { url: 'a' },
  ...more,
})

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sources.trial.example.com' },
  spec: {
    group: 'trial.example.com',
    scope: 'Namespaced',
    names: { kind: 'Source', plural: 'sources', singular: 'source' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { url: { type: 'string' } } },
              status: { type: 'object', default: UNSET, properties: { observedGeneration: { type: 'integer' }, x: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
}

/** Expected responses were recorded from the Kubernetes machinery 1.33.9. */
describe('a default for the whole status of a custom resource', () => {
  let client: JsonClient
  withServer(async made => {
    client = made.client
    await client.must('POST', DEFINITIONS, definition)
    await eventually('the kind is served', async () => (await client.ask('GET', SOURCES)).status === 200)
  })

  it('is set in the responses to a create, a dry run, a get and a list', async () => {
    expect((await client.must('POST', `${SOURCES}?dryRun=All`, source('a'))).status).to.deep.equal(UNSET)
    expect((await client.must('POST', SOURCES, source('a', { status: { x: 'dropped' } }))).status).to.deep.equal(UNSET)
    expect((await client.must('GET', `${SOURCES}/a`)).status).to.deep.equal(UNSET)
    expect((await client.must('GET', SOURCES)).items[0].status).to.deep.equal(UNSET)
  })

  it('is the base of a patch of the status', async () => {
    await client.must('POST', SOURCES, source('b'))
    const { status, body } = await client.ask('PATCH', `${SOURCES}/b/status`, { body: { status: { x: 'y' } }, contentType: MERGE })
    expect([status, body.status]).to.deep.equal([200, { ...UNSET, x: 'y' }])
  })

  it('is set in an object that an apply creates, and stays after an update', async () => {
    const applied = (query: string, spec: object) =>
      client.ask('PATCH', `${SOURCES}/c?fieldManager=test${query}`, {
        body: source('c', { spec }),
        contentType: 'application/apply-patch+yaml',
      })
    expect((await applied('&dryRun=All', { url: 'a' })).body.status).to.deep.equal(UNSET)
    expect((await applied('', { url: 'a' })).body.status).to.deep.equal(UNSET)
    const { body } = await applied('', { url: 'b' })
    expect([body.status, body.metadata.generation]).to.deep.equal([UNSET, 2])
  })
  it('is stored by an update, not by a create: a later change of the default shows only in the latter', async () => {
    await client.must('POST', SOURCES, source('untouched'))
    await client.must('POST', SOURCES, source('updated'))
    expect(
      (await client.ask('PATCH', `${SOURCES}/updated`, { body: { spec: { url: 'c' } }, contentType: MERGE })).body.status,
    ).to.deep.equal(UNSET)
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/status/default'
    const changed = await client.ask('PATCH', `${DEFINITIONS}/sources.trial.example.com`, {
      body: [{ op: 'replace', path, value: { observedGeneration: -2 } }],
      contentType: 'application/json-patch+json',
    })
    expect(changed.status).to.equal(200)
    expect((await client.must('GET', `${SOURCES}/untouched`)).status).to.deep.equal({ observedGeneration: -2 })
    expect((await client.must('GET', `${SOURCES}/updated`)).status).to.deep.equal(UNSET)
  })
})
