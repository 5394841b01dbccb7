import { expect } from 'chai'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'

describe('odd writes', function () {
  this.timeout(30_000)
  let server: ServerProcess
  let client: JsonClient
  before(async () => {
    server = await createServerProcess()
    await server.start()
    client = createJsonClient(server.url)
  })
  after(async () => {
    client?.close()
    await server?.stop()
  })

  describe('with empty lists', () => {
    it('print them as they are in Go', async () => {
      const body = {
        metadata: { name: 'empties.odd.example.com' },
        spec: { group: 'odd.example.com', scope: 'Namespaced', names: { plural: 'empties', kind: 'Empty' } },
      }
      const told = async (versions?: object[]) => (await client.ask('POST', DEFINITIONS, { body: { ...body, spec: { ...body.spec, versions } } })).body.message
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
})
