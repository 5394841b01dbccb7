import { expect } from 'chai'
import type { RequestInfo } from '../../../../src/meta/context.ts'
import { PlainTextError } from '../../../../src/meta/plain-text-error.ts'
import { isLongRunning, parseRequestInfo, withRequestInfo } from '../../../../src/server/filters/request-info.ts'
import { MAX_PATH_LENGTH, MAX_QUERY_PARAMETERS } from '../../../../src/server/limits.ts'
import { filterContext, rejection, runFilter } from '../../../support/filter-context.ts'

const parse = (method: string, url: string) => {
  const [path = '', search = ''] = url.split('?')
  return parseRequestInfo(method, path, () => new URLSearchParams(search))
}

/** Segments from the resource on, as in kube-apiserver's test tables, instead of the parsed fields. */
function withParts(info: RequestInfo): object {
  if (!info.isResource) return info
  const { watchPath, inNamespace, namesObject, rest, fieldSelector, labelSelector, ...attributes } = info
  const parts = [info.resource, ...(namesObject ? [info.name] : []), ...(info.subresource === '' ? [] : [info.subresource]), ...rest]
  return { ...attributes, parts }
}

describe('the field selector of a request', () => {
  const cases: [string, string, object[] | undefined][] = [
    [
      'GET',
      '/api/v1/pods?fieldSelector=spec.nodeName%3Dn,status.phase!%3DRunning',
      [
        { field: 'spec.nodeName', op: '=', value: 'n' },
        { field: 'status.phase', op: '!=', value: 'Running' },
      ],
    ],
    ['GET', '/api/v1/pods?watch=1&fieldSelector=a==b', [{ field: 'a', op: '=', value: 'b' }]],
    ['DELETE', '/api/v1/namespaces/ns/pods?fieldSelector=a=b', [{ field: 'a', op: '=', value: 'b' }]],
    ['GET', '/api/v1/watch/pods?fieldSelector=a=b', undefined],
    ['GET', '/api/v1/namespaces/ns/pods/p?fieldSelector=a=b', undefined],
    ['POST', '/api/v1/namespaces/ns/pods?fieldSelector=a=b', undefined],
    ['GET', '/api/v1/pods?fieldSelector=a', undefined],
    ['GET', '/api/v1/pods?fieldSelector=', undefined],
    ['GET', `/api/v1/pods?fieldSelector=a=${'b'.repeat(5000)}`, undefined],
  ]
  for (const [method, url, terms] of cases)
    it(`${method} ${url.slice(0, 80)}`, () => expect(parse(method, url).fieldSelector).to.deep.equal(terms))
})

describe('the label selector of a request', () => {
  const cases: [string, string, object[] | undefined][] = [
    [
      'GET',
      '/api/v1/pods?labelSelector=a%20in%20(b,c),!d',
      [
        { key: 'a', operator: 'in', values: ['b', 'c'] },
        { key: 'd', operator: '!', values: [] },
      ],
    ],
    ['DELETE', '/api/v1/namespaces/ns/pods?labelSelector=a=b', [{ key: 'a', operator: '=', values: ['b'] }]],
    ['GET', '/api/v1/namespaces/ns/pods/p?labelSelector=a=b', undefined],
    ['POST', '/api/v1/namespaces/ns/pods?labelSelector=a=b', undefined],
    ['GET', '/api/v1/pods?labelSelector=a%20in', undefined],
  ]
  for (const [method, url, terms] of cases)
    it(`${method} ${url.slice(0, 80)}`, () => expect(parse(method, url).labelSelector).to.deep.equal(terms))
})

describe('parseRequestInfo', () => {
  // method, URL → verb, prefix, group, version, namespace, resource, subresource, name, parts
  const resources: [string, string, string, string, string, string, string, string, string, string, string][] = [
    ['GET', '/api/v1/namespaces', 'list', 'api', '', 'v1', '', 'namespaces', '', '', 'namespaces'],
    ['GET', '/api/v1/namespaces/a', 'get', 'api', '', 'v1', 'a', 'namespaces', '', 'a', 'namespaces/a'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update', 'api', '', 'v1', 'a', 'namespaces', 'finalize', 'a', 'namespaces/a/finalize'],
    ['PATCH', '/api/v1/namespaces/a/status', 'patch', 'api', '', 'v1', 'a', 'namespaces', 'status', 'a', 'namespaces/a/status'],
    ['GET', '/api/v1/namespaces/a/pods', 'list', 'api', '', 'v1', 'a', 'pods', '', '', 'pods'],
    ['POST', '/api/v1/namespaces/a/pods', 'create', 'api', '', 'v1', 'a', 'pods', '', '', 'pods'],
    ['GET', '/api/v1/namespaces/a/pods/p', 'get', 'api', '', 'v1', 'a', 'pods', '', 'p', 'pods/p'],
    ['HEAD', '/api/v1/namespaces/a/pods/p', 'get', 'api', '', 'v1', 'a', 'pods', '', 'p', 'pods/p'],
    ['GET', '/api/v1/namespaces/a/pods/p/log', 'get', 'api', '', 'v1', 'a', 'pods', 'log', 'p', 'pods/p/log'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection', 'api', '', 'v1', 'a', 'pods', '', '', 'pods'],
    ['DELETE', '/api/v1/namespaces/a/pods/p', 'delete', 'api', '', 'v1', 'a', 'pods', '', 'p', 'pods/p'],
    ['constructor', '/api/v1/namespaces/a/pods/p', '', 'api', '', 'v1', 'a', 'pods', '', 'p', 'pods/p'],
    ['__proto__', '/api/v1/namespaces/a/pods/p', '', 'api', '', 'v1', 'a', 'pods', '', 'p', 'pods/p'],
    ['GET', '/api/v1/nodes/n', 'get', 'api', '', 'v1', '', 'nodes', '', 'n', 'nodes/n'],
    ['GET', '/api/v1/pods?watch=true', 'watch', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
    ['GET', '/api/v1/pods?watch=0', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
    ['GET', '/api/v1/pods?watch', 'watch', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
    ['GET', '/api/v1/watch/namespaces/a/pods', 'watch', 'api', '', 'v1', 'a', 'pods', '', '', 'pods'],
    ['GET', '/api/v1/watch/namespaces/a/pods/p', 'watch', 'api', '', 'v1', 'a', 'pods', '', 'p', 'pods/p'],
    [
      'GET',
      '/apis/apps/v1/namespaces/a/deployments/d/scale',
      'get',
      'apis',
      'apps',
      'v1',
      'a',
      'deployments',
      'scale',
      'd',
      'deployments/d/scale',
    ],
    ['GET', '/apis/apps/v1/deployments', 'list', 'apis', 'apps', 'v1', '', 'deployments', '', '', 'deployments'],
    [
      'GET',
      '/api/v1/namespaces/a/pods?fieldSelector=metadata.name=p,status.phase=Running',
      'list',
      'api',
      '',
      'v1',
      'a',
      'pods',
      '',
      'p',
      'pods',
    ],
    ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name!=p', 'list', 'api', '', 'v1', 'a', 'pods', '', '', 'pods'],
    ['GET', '/api/v1/namespaces/a/pods/', 'list', 'api', '', 'v1', 'a', 'pods', '', '', 'pods'],
    // From kube-apiserver's tables (TestGetAPIRequestInfo, TestSelectorParsing).
    ['HEAD', '/api/v1/pods', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
    [
      'GET',
      '/api/v1/namespaces/other/pods/foo/proxy/subpath',
      'get',
      'api',
      '',
      'v1',
      'other',
      'pods',
      'proxy',
      'foo',
      'pods/foo/proxy/subpath',
    ],
    ['GET', '/api/v1/proxy/namespaces/other/pods/foo', 'proxy', 'api', '', 'v1', 'other', 'pods', '', 'foo', 'pods/foo'],
    ['DELETE', '/api/v1/namespaces', 'deletecollection', 'api', '', 'v1', '', 'namespaces', '', '', 'namespaces'],
    ['POST', '/apis/extensions/v1beta3/namespaces/other/pods', 'create', 'apis', 'extensions', 'v1beta3', 'other', 'pods', '', '', 'pods'],
    ['GET', '/apis/g/v/r?watch=true&fieldSelector=metadata.name=n', 'watch', 'apis', 'g', 'v', '', 'r', '', 'n', 'r'],
    ['GET', '/apis/g/v/r?fieldSelector=metadata.name=n,foo', 'list', 'apis', 'g', 'v', '', 'r', '', '', 'r'],
    ['GET', '/apis/g/v/r?fieldSelector=metadata.name=a&fieldSelector=metadata.name=b', 'list', 'apis', 'g', 'v', '', 'r', '', 'a', 'r'],
    ['GET', '/apis/g/v/watch/r?fieldSelector=metadata.name=n', 'watch', 'apis', 'g', 'v', '', 'r', '', '', 'r'],
    ['GET', '/apis/g/v/watch/r/n?fieldSelector=metadata.name=x', 'watch', 'apis', 'g', 'v', '', 'r', '', 'n', 'r/n'],
    // The path determines the result, whatever the method is.
    ['PATCH', '/api/v1/watch/namespaces/a/pods/p', 'watch', 'api', '', 'v1', 'a', 'pods', '', 'p', 'pods/p'],
    ['POST', '/apis/apps/v1/proxy/namespaces/a/deployments', 'proxy', 'apis', 'apps', 'v1', 'a', 'deployments', '', '', 'deployments'],
    ['GET', '/api/v1/namespaces/a/namespaces/b', 'get', 'api', '', 'v1', 'a', 'namespaces', '', 'b', 'namespaces/b'],
    ['GET', '//api/v1/pods', 'list', 'api', '', 'v1', '', 'pods', '', '', 'pods'],
    ['OPTIONS', '/api/v1/namespaces/a/pods/p', '', 'api', '', 'v1', 'a', 'pods', '', 'p', 'pods/p'],
  ]
  for (const [method, url, verb, apiPrefix, group, version, namespace, resource, subresource, name, parts] of resources)
    it(`${method} ${url}`, () =>
      expect(withParts(parse(method, url))).to.deep.equal({
        path: url.split('?')[0],
        isResource: true,
        verb,
        method,
        apiPrefix,
        group,
        version,
        namespace,
        resource,
        subresource,
        name,
        parts: parts.split('/'),
      }))

  for (const path of [
    '/',
    '/api',
    '/api/v1',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/healthz',
    '/openapi/v3/apis/apps/v1',
    '/apifoo/v1/pods',
  ])
    it(`GET ${path} is not a resource request`, () => expect(parse('GET', path)).to.include({ isResource: false, verb: 'get', path }))

  it('refuses a watch without a resource, and quotes the URL as sent', () =>
    expect(() => parseRequestInfo('GET', '/api/v1/watch//', () => new URLSearchParams(), '/api/v1/watch/%2F?a=b')).to.throw(
      PlainTextError,
      /unable to determine kind and namespace from url, \/api\/v1\/watch\/%2F\?a=b$/,
    ))
})

describe('isLongRunning', () => {
  const cases: [string, string, boolean][] = [
    ['GET', '/api/v1/pods?watch=1', true],
    ['GET', '/api/v1/pods', false],
    ['GET', '/api/v1/namespaces/a/pods/p/log', true],
    ['POST', '/api/v1/namespaces/a/pods/p/exec', true],
    ['GET', '/api/v1/namespaces/a/pods/p/status', false],
    ['GET', '/healthz', false],
  ]
  for (const [method, url, long] of cases) it(`${method} ${url}: ${long}`, () => expect(isLongRunning(parse(method, url))).to.equal(long))
})

describe('withRequestInfo', () => {
  const parsed = async (url: string) => {
    const ctx = filterContext({ url, parsed: false })
    await runFilter(withRequestInfo, ctx)
    return ctx.state.exchange
  }
  it('sets the info of the request', async () => {
    const { info, longRunning } = await parsed('/api/v1/namespaces/n%C3%A4s/things/x')
    expect(info).to.include({ verb: 'get', namespace: 'näs', resource: 'things', name: 'x' })
    expect(longRunning).to.equal(false)
  })
  it('sets longRunning', async () => expect((await parsed('/api/v1/things?watch=1')).longRunning).to.equal(true))

  const cases: [string, string, string][] = [
    ['a path that is too long', `/${'a'.repeat(MAX_PATH_LENGTH)}`, 'the path of a request has 65536 characters at most'],
    ['a query of too many parameters', `/api?${'a&'.repeat(MAX_QUERY_PARAMETERS)}`, 'a query has 32768 parameters at most'],
    ['an invalid escape', '/api/%zz', '400 Bad Request'],
    ['an escape of no character', '/api/%ff', 'invalid URL escape in "/api/%ff"'],
  ]
  for (const [what, url, message] of cases)
    it(`refuses ${what}`, async () =>
      expect(await rejection(runFilter(withRequestInfo, filterContext({ url, parsed: false })))).to.include({ code: 400, message }))
})
