import { expect } from 'chai'
import type { CustomResourceDefinition } from '../../src/api/apiextensions/v1.types.ts'
import type { ServedResource } from '../../src/catalog/catalog.ts'
import { ConversionMetrics } from '../../src/extensions/conversion/metrics.ts'
import { customResource } from '../../src/extensions/custom-resource.ts'
import { RELEASES } from '../../src/lifecycle/release.ts'
import type { User } from '../../src/meta/context.ts'
import { type ApiRequest, type Asked, type Done, type Outcome, RecordedApi } from '../support/authorized/recorded-api.ts'
import { oddPathsOf, oddQueriesOf, pathsOf, requestsTo } from '../support/authorized/requests.ts'
import { upstreamQuestion } from '../support/authorized/upstream-rules.ts'
import { builtinSnapshot } from '../support/reference.ts'

const USER: User = { name: 'someone', groups: ['system:authenticated'] }

/** Which verbs each thing that is done needs. */
const NEEDS: Readonly<Record<Exclude<Done['what'], 'reach'>, readonly string[]>> = {
  get: ['get'],
  list: ['list'],
  watch: ['watch'],
  create: ['create'],
  write: ['update', 'patch'],
  delete: ['delete'],
  deletecollection: ['deletecollection'],
}

const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

type Scope = 'Namespaced' | 'Cluster'

/** A kind that a definition adds, with all subresources that it may have. */
function customKind(scope: Scope, plural = scope === 'Cluster' ? 'planets' : 'gears') {
  const names = { plural, singular: plural.slice(0, -1), kind: scope === 'Cluster' ? 'Planet' : 'Gear', listKind: `${plural}List` }
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {}, scale } }
  const definition = {
    metadata: { name: `${plural}.example.com` },
    spec: { group: 'example.com', scope, names, versions: [version], conversion: { strategy: 'None' } },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }] },
  }
  const resource = customResource(definition as unknown as CustomResourceDefinition, {
    post: () => Promise.reject(new Error('no webhook')),
    metrics: new ConversionMetrics(),
  })
  if (!resource) throw new Error('the custom kind is not served')
  return resource
}

/** Returns the actions without a matching authorization. Empty if there are none. */
function excess({ asked, done }: Outcome, user: string): string[] {
  return done.filter(one => !asked.some(question => covers(question, one, user))).map(one => JSON.stringify(one))
}

function covers({ user, attributes }: Asked, done: Done, expectedUser: string): boolean {
  const { verb, group, version, resource, subresource, namespace, name } = attributes
  const same = group === done.group && version === done.version && resource === done.resource
  // The namespace of a Namespace object is empty for the store, and its own name for the authorizer.
  const ownPlace = resource === 'namespaces' && group === '' && done.namespace === '' && namespace === (done.selected ?? done.name)
  const place = namespace === done.namespace || ownPlace
  const isOne =
    done.what === 'list' || done.what === 'watch'
      ? name === '' || name === done.selected
      : name === done.name || (verb === 'create' && name === '')
  return (
    attributes.isResource &&
    same &&
    place &&
    isOne &&
    (done.subresource === undefined || subresource === done.subresource) &&
    (done.what === 'reach' || NEEDS[done.what].includes(verb)) &&
    user.name === expectedUser &&
    (done.user === undefined || done.user === expectedUser)
  )
}

function servedBy(api: RecordedApi): ServedResource[] {
  const snapshot = api.catalog.snapshot()
  return snapshot.servedGroupVersions().flatMap(groupVersion => snapshot.resourcesOf(groupVersion))
}

const nameOf = ({ version }: ServedResource): string => `${version.group}/${version.name}/${version.names.plural}`

describe('every executed action was authorized', () => {
  const api = new RecordedApi([...builtinSnapshot().definitions, customKind('Namespaced'), customKind('Cluster')])
  const resources = servedBy(api)
  /** A few of each sort: custom, namespaced, of the cluster, virtual, with connections. */
  const samples = resources.filter(({ version }) =>
    ['pods', 'namespaces', 'nodes', 'deployments', 'gears', 'planets', 'tokenreviews', 'componentstatuses'].includes(version.names.plural),
  )

  const print = ({ method, url, headers }: ApiRequest): string => `${method} ${url}${headers ? ` ${JSON.stringify(headers)}` : ''}`

  /** Sends the request, and checks what holds of every one. */
  async function check(request: ApiRequest, complaints: string[], user = USER, by = api): Promise<Outcome> {
    const outcome = await by.send(request, user)
    const complain = (what: string): void => void complaints.push(`${print(request)} (${outcome.status}): ${what}`)
    const expected = upstreamQuestion(request.method, request.url)
    const asked = outcome.asked.map(({ attributes: { path: _, ...rest } }) => rest)
    for (const [i, question] of asked.entries()) {
      const { verb, group, version, namespace, resource, subresource, name, isResource } = question
      asked[i] = { isResource, verb, group, version, namespace, resource, subresource, name }
    }
    if (JSON.stringify(asked) !== JSON.stringify(expected ? [expected] : []))
      complain(`asked ${JSON.stringify(asked)}, and not ${JSON.stringify(expected)}`)
    for (const one of excess(outcome, user.name)) complain(`did ${one}, asked ${JSON.stringify(asked)}`)
    if (outcome.done.length > 1) complain('did several things')
    return outcome
  }

  async function checkAll(requests: Iterable<ApiRequest>, by = api): Promise<Done[]> {
    const complaints: string[] = []
    const done: Done[] = []
    for (const request of requests) done.push(...(await check(request, complaints, USER, by)).done)
    expect(complaints.slice(0, 20)).to.deep.equal([])
    return done
  }

  beforeEach(() => {
    api.allows = () => true
  })

  it('on every path, method, resource and subresource that is served', async () => {
    const done = new Set<string>()
    for (const served of resources) {
      const requests = pathsOf(served).flatMap(url => requestsTo(url, served))
      for (const { what, group, version, resource } of await checkAll(requests)) done.add(`${what} ${group}/${version}/${resource}`)
    }
    // Otherwise it would also hold of a server that does nothing.
    for (const { version, definition } of resources)
      for (const verb of definition.virtual ? [] : version.verbs) {
        const what = verb === 'update' || verb === 'patch' ? 'write' : verb
        expect(done).to.include(`${what} ${version.group}/${version.name}/${version.names.plural}`)
      }
  })

  it('on every version of other releases, in its own group and version', async () => {
    const known = new Set(resources.map(nameOf))
    const done = new Set<string>()
    for (const release of RELEASES) {
      const of = new RecordedApi(builtinSnapshot(release).definitions)
      for (const served of servedBy(of).filter(one => !known.has(nameOf(one)))) {
        known.add(nameOf(served))
        const requests = pathsOf(served).flatMap(url => [...requestsTo(url, served)])
        for (const { group, version, resource } of await checkAll(requests, of)) done.add(`${group}/${version}/${resource}`)
      }
    }
    expect(done).to.include.keys(
      'policy/v1beta1/podsecuritypolicies',
      'flowcontrol.apiserver.k8s.io/v1beta1/flowschemas',
      'resource.k8s.io/v1/deviceclasses',
    )
  })

  it('on paths that resemble paths of resources', async () => {
    for (const served of samples) await checkAll(oddPathsOf(served).flatMap(url => requestsTo(url, served)))
  })

  it('with repeated query parameters', async () => {
    const done = await checkAll(samples.flatMap(served => oddQueriesOf(served).flatMap(url => requestsTo(url, served))))
    expect(new Set(done.map(({ what }) => what))).to.include.keys('list', 'watch', 'get', 'write', 'delete', 'deletecollection', 'create')
  })

  for (const scope of ['Cluster', 'Namespaced'] as const)
    for (const plural of ['namespaces', 'status', 'watch', 'proxy'])
      it(`on custom kinds of scope ${scope} with the plural ${plural}, which is a part of paths`, async () => {
        const of = new RecordedApi([customKind(scope, plural)])
        const [served] = servedBy(of)
        if (!served) throw new Error('the kind is not served')
        await checkAll(
          [...pathsOf(served), ...oddPathsOf(served)].flatMap(url => requestsTo(url, served)),
          of,
        )
      })

  it('and nothing is executed if authorization fails', async () => {
    api.allows = () => false
    for (const served of samples)
      for (const request of [...pathsOf(served), ...oddPathsOf(served)].flatMap(url => requestsTo(url, served))) {
        const { status, asked, done } = await api.send(request, USER)
        expect({ request: print(request), done, refused: asked.length === 0 || status === 403 }).to.deep.equal({
          request: print(request),
          done: [],
          refused: true,
        })
      }
  })

  it('below watch and proxy, with the status codes of kube-apiserver', async () => {
    for (const [method, url, status] of [
      ['GET', '/api/v1/watch/namespaces/ns/pods', 418],
      ['GET', '/api/v1/watch/namespaces/ns/pods/obj', 418],
      ['HEAD', '/api/v1/watch/pods', 405],
      ['POST', '/api/v1/watch/namespaces/ns/pods', 405],
      ['PUT', '/api/v1/watch/namespaces/ns/pods/obj', 405],
      ['PATCH', '/apis/apps/v1/watch/namespaces/ns/deployments/obj', 405],
      ['DELETE', '/api/v1/watch/namespaces/ns/secrets', 405],
      ['POST', '/api/v1/watch/namespaces/ns/serviceaccounts/obj/token', 404],
      ['GET', '/api/v1/watch/namespaces/ns/pods/obj/status', 404],
      ['GET', '/api/v1/proxy/namespaces/ns/pods/obj', 404],
      ['DELETE', '/api/v1/proxy/namespaces/ns/pods/obj', 404],
      ['POST', '/apis/apps/v1/proxy/namespaces/ns/deployments', 404],
      ['GET', '/api/v1/namespaces/ns/namespaces/other', 404],
      ['DELETE', '/api/v1/namespaces/ns/namespaces/other', 404],
      ['PUT', '/api/v1/namespaces/ns/namespaces/ns/finalize', 404],
      ['GET', '/api/v1/namespaces/ns/namespaces', 404],
      ['GET', '/api/v1/namespaces//pods/obj', 400],
    ] as const)
      expect([method, url, (await api.send({ method, url }, USER)).status]).to.deep.equal([method, url, status])
  })

  describe('with the right user', () => {
    const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }
    const request = (headers: Record<string, string>): ApiRequest => ({ method: 'GET', url: '/api/v1/namespaces/ns/secrets/obj', headers })
    const nobodyElse: Record<string, string>[] = [
      { 'Impersonate-X': 'y' },
      { 'Impersonate-User': '' },
      { 'Impersonate-Uid': '' },
      { 'Impersonate-': 'system:admin' },
      { 'Impersonate-Groups': 'system:masters' },
      { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' },
    ]
    for (const headers of nobodyElse)
      it(`the anonymous one, with ${JSON.stringify(headers)}`, async () => {
        const complaints: string[] = []
        const { asked } = await check(request(headers), complaints, ANONYMOUS)
        expect(complaints).to.deep.equal([])
        expect(asked.map(({ user }) => user)).to.deep.equal([ANONYMOUS])
      })

    it('an impersonated one, after a check of both users', async () => {
      const { asked, done } = await api.send(request({ 'Impersonate-User': 'alice', 'Impersonate-Group': 'dev' }), USER)
      expect(asked.map(({ user, attributes: { verb, resource, name } }) => [user.name, verb, resource, name])).to.deep.equal([
        ['someone', 'impersonate', 'users', 'alice'],
        ['someone', 'impersonate', 'groups', 'dev'],
        ['alice', 'get', 'secrets', 'obj'],
      ])
      expect(done).to.have.length(1)
      expect(asked[2]?.user.groups).to.deep.equal(['dev', 'system:authenticated'])
    })
  })
})
