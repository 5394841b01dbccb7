import { expect } from 'chai'
import type { JsonClient } from '../support/json-client.ts'
import { withServer } from '../support/suite-server.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'

describe('odd writes', () => {
  let client: JsonClient
  withServer(made => {
    client = made.client
  })

  describe('with empty lists', () => {
    it('print them as Go does', async () => {
      const body = {
        metadata: { name: 'empties.odd.example.com' },
        spec: { group: 'odd.example.com', scope: 'Namespaced', names: { plural: 'empties', kind: 'Empty' } },
      }
      const told = async (versions?: object[]) =>
        (await client.ask('POST', DEFINITIONS, { body: { ...body, spec: { ...body.spec, versions } } })).body.message
      const texts = [await told([]), await told()].map(
        text => /Invalid value: \[\]apiextensions\.CustomResourceDefinitionVersion(\S+):/.exec(String(text))?.[1],
      )
      expect(texts).to.deep.equal(['{}', '(nil)'])
    })

    it('own them, and store nil', async () => {
      const role = (name: string, rules: unknown) => ({ metadata: { name }, rules })
      const ownersOf = async (name: string, rules: unknown, method = 'POST', path = ROLES) => {
        const { rules: stored, metadata } = await client.must(method, path, role(name, rules))
        expect(stored).to.equal(null)
        return (metadata.managedFields ?? []).map(({ fieldsV1 }) => fieldsV1)
      }
      expect(await ownersOf('none', null)).to.deep.equal([])
      expect(await ownersOf('some', [])).to.deep.equal([{ 'f:rules': {} }])
      const { metadata } = await client.must('GET', `${ROLES}/some`)
      expect(await ownersOf('some', [], 'PUT', `${ROLES}/some`)).to.deep.equal([{ 'f:rules': {} }])
      expect((await client.must('GET', `${ROLES}/some`)).metadata.resourceVersion).to.equal(metadata.resourceVersion)
    })
  })

  describe('in another version', () => {
    const scalers = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`
    const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }
    const metrics = (averageUtilization: number) => [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } },
    ]
    const body = { spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 } }

    it('patch the object in that version', async () => {
      await client.must('POST', scalers('v1'), { metadata: { name: 'a' }, ...body })
      const path = `${scalers('v1')}/a`
      const merged = await client.ask('PATCH', path, {
        contentType: 'application/merge-patch+json',
        body: { apiVersion: 'autoscaling/v2', spec: { maxReplicas: 5, metrics: metrics(30) } },
      })
      expect(merged.status, JSON.stringify(merged.body)).to.equal(200)
      expect([merged.body.apiVersion, merged.body.spec.maxReplicas, merged.body.spec.targetCPUUtilizationPercentage]).to.deep.equal([
        'autoscaling/v1',
        5,
        30,
      ])
      expect(merged.headers.warning).to.contain('unknown field \\"spec.targetCPUUtilizationPercentage\\"')
      const strategic = await client.ask('PATCH', path, {
        contentType: 'application/strategic-merge-patch+json',
        body: { apiVersion: 'autoscaling/v2', spec: { maxReplicas: 6 } },
      })
      expect([strategic.status, strategic.body.apiVersion, strategic.body.spec.maxReplicas]).to.deep.equal([200, 'autoscaling/v1', 6])
      const back = await client.ask('PATCH', `${scalers('v2')}/a`, {
        contentType: 'application/json-patch+json',
        body: [
          { op: 'replace', path: '/apiVersion', value: 'autoscaling/v1' },
          { op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 40 },
        ],
      })
      expect([back.status, back.body.apiVersion, back.body.spec.metrics]).to.deep.equal([200, 'autoscaling/v2', metrics(40)])
    })

    it('cannot update the object', async () => {
      await client.must('POST', scalers('v1'), { metadata: { name: 'b' }, ...body })
      const { status, body: told } = await client.ask('PUT', `${scalers('v1')}/b`, {
        body: { apiVersion: 'autoscaling/v2', metadata: { name: 'b' }, spec: {} },
      })
      expect([status, told.message]).to.deep.equal([
        400,
        'the API version in the data (autoscaling/v2) does not match the expected API version (autoscaling/v1)',
      ])
    })

    it('decode bodies of another kind as that kind first', async () => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }
      const told = async (data: object) =>
        (await client.ask('POST', '/api/v1/namespaces/default/configmaps', { body: { ...secret, data } })).body.message?.replace(
          /^.*ConfigMap: /,
          '',
        )
      expect(await told({ a: '6' })).to.equal('illegal base64 data at input byte 0')
      expect(await told({ a: 'YQ==' })).to.equal('converting (v1.Secret) to (core.ConfigMap): unknown conversion')
    })
  })
})
