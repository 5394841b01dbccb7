import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { ingressResource } from '../../../../../src/resources/networking/ingress/definition.ts'
import { validateIngressRules } from '../../../../../src/resources/networking/ingress/rules.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { hookContext } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'
import { kindErrors } from '../../../../support/kind-errors.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const service = { name: 'svc', port: { number: 80 } }
const backend = { service }
const withBackend = (defaultBackend: object): object => ({ spec: { defaultBackend } })
const withPath = (path: object, host = 'foo.bar.com'): object => ({
  spec: { rules: [{ host, http: { paths: [{ pathType: 'Prefix', path: '/', backend, ...path }] } }] },
})
const withHost = (host: string): object => ({ spec: { rules: [{ host }] } })
const AT = 'spec.rules[0].http.paths[0]'

describe('Ingress', () => {
  validates(ingressResource, {
    'a default backend': [withBackend(backend), []],
    'a port by name': [withBackend({ service: { name: 'svc', port: { name: 'http' } } }), []],
    'an object as backend': [withBackend({ resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'b' } }), []],
    'an object of the core group as backend': [withBackend({ resource: { kind: 'ConfigMap', name: 'b' } }), []],
    'a wildcard host': [withPath({}, '*.bar.com'), []],
    'a path that any controller understands': [withPath({ pathType: 'ImplementationSpecific', path: '' }), []],
    'dots inside of names': [withPath({ path: '/a.b/..c' }), []],
    'nothing to serve': [{ spec: {} }, ['Invalid spec']],
    'two kinds of backend': [withBackend({ service, resource: { kind: 'K', name: 'n' } }), ['Invalid spec.defaultBackend']],
    'an empty backend': [withBackend({}), ['Invalid spec.defaultBackend']],
    'a reference without kind and name': [
      withBackend({ resource: { apiGroup: 'a_b' } }),
      [
        'Invalid spec.defaultBackend.resource.apiGroup',
        'Required spec.defaultBackend.resource.kind',
        'Required spec.defaultBackend.resource.name',
      ],
    ],
    'a reference that is not a path segment': [
      withBackend({ resource: { kind: 'a/b', name: '..' } }),
      ['Invalid spec.defaultBackend.resource.kind', 'Invalid spec.defaultBackend.resource.name'],
    ],
    'a service without name and port': [
      withBackend({ service: {} }),
      ['Required spec.defaultBackend.service.name', 'Required spec.defaultBackend'],
    ],
    'a service name with a digit first': [
      withBackend({ service: { ...service, name: '1svc' } }),
      ['Invalid spec.defaultBackend.service.name'],
    ],
    'a port with name and number': [
      withBackend({ service: { name: 'svc', port: { name: 'http', number: 80 } } }),
      ['Invalid spec.defaultBackend'],
    ],
    'a bad port name': [
      withBackend({ service: { name: 'svc', port: { name: 'h--p' } } }),
      ['Invalid spec.defaultBackend.service.port.name'],
    ],
    'a bad port number': [
      withBackend({ service: { name: 'svc', port: { number: 70000 } } }),
      ['Invalid spec.defaultBackend.service.port.number'],
    ],
    'a relative path': [withPath({ path: 'foo' }), [`Invalid ${AT}.path`]],
    'a relative path for any controller': [withPath({ pathType: 'ImplementationSpecific', path: 'foo' }), [`Invalid ${AT}.path`]],
    'an empty prefix': [withPath({ path: '' }), [`Invalid ${AT}.path`]],
    'each sequence that a path may not have': [withPath({ path: '//a/./b/../c%2fd%2F' }), new Array<string>(5).fill(`Invalid ${AT}.path`)],
    'a path that ends with dots': [withPath({ path: '/foo/..' }), [`Invalid ${AT}.path`]],
    'no path type': [withPath({ pathType: null, backend: {} }), [`Required ${AT}.pathType`]],
    'another path type': [withPath({ pathType: 'Regex' }), [`NotSupported ${AT}.pathType`]],
    'a path without backend': [withPath({ backend: {} }), [`Invalid ${AT}.backend`]],
    'no paths': [{ spec: { rules: [{ http: { paths: [] } }] } }, ['Required spec.rules[0].http.paths']],
    'an address as host': [withHost('192.0.2.1'), ['Invalid spec.rules[0].host']],
    'an IPv6 address as host': [withHost('2001:db8::1'), ['Invalid spec.rules[0].host', 'Invalid spec.rules[0].host']],
    'a wildcard in the middle': [withHost('foo.*.com'), ['Invalid spec.rules[0].host']],
    'bad hosts and secret of TLS': [
      { spec: { defaultBackend: backend, tls: [{ hosts: ['ok.com', '*.ok.com', 'not ok', '*'], secretName: 'not ok' }] } },
      ['Invalid spec.tls[0].hosts[2]', 'Invalid spec.tls[0].hosts[3]', 'Invalid spec.tls[0].secretName'],
    ],
    'a bad class': [{ spec: { defaultBackend: backend, ingressClassName: 'not ok' } }, ['Invalid spec.ingressClassName']],
    'class and annotation that differ': [
      { spec: { defaultBackend: backend, ingressClassName: 'foo' } },
      ['Invalid annotations.kubernetes.io/ingress.class'],
      { annotations: { 'kubernetes.io/ingress.class': 'bar' } },
    ],
    'class and annotation that agree': [
      { spec: { defaultBackend: backend, ingressClassName: 'foo' } },
      [],
      { annotations: { 'kubernetes.io/ingress.class': 'foo' } },
    ],
  })

  it('requires a default backend or rules', async () => {
    expect(await messagesOf(new KindCases(ingressResource).create({ spec: {} }))).to.deep.equal([
      'spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified',
    ])
  })

  it('describes valid wildcard hosts in the error', async () => {
    expect(await messagesOf(new KindCases(ingressResource).create(withHost('*')))).to.deep.equal([
      "spec.rules[0].host: Invalid value: \"*\": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ])
  })

  it('keeps values on update that were stored before they were validated', () => {
    const validate = (next: KubeObject, old: KubeObject | undefined) => kindErrors(ingressResource.strategy, next, old, hookContext())
    const cases = new KindCases(ingressResource)
    const bad = cases.body({
      spec: { rules: [{ host: '*.a.com', http: { paths: [{ path: 'x', pathType: 'Exact', backend }] } }], tls: [{ secretName: 'not ok' }] },
    })
    expect(validate(bad, undefined).map(({ field }) => field)).to.deep.equal([`${AT}.path`, 'spec.tls[0].secretName'])
    expect(validate(bad, bad)).to.deep.equal([])
    expect(validate(bad, cases.body(withBackend(backend)))).to.have.length(2)
  })

  it('accepts a class in addition to the annotation on update', async () => {
    const cases = new KindCases(ingressResource)
    await cases.create(withBackend(backend), { annotations: { 'kubernetes.io/ingress.class': 'bar' } })
    expect(await causesOf(cases.update({ spec: { defaultBackend: backend, ingressClassName: 'foo' } }))).to.deep.equal([])
  })

  it('warns about the annotation on create without a class', async () => {
    const cases = new KindCases(ingressResource)
    await cases.create(withBackend(backend), { annotations: { 'kubernetes.io/ingress.class': 'bar' } })
    await cases.update(withBackend(backend), { labels: { a: 'b' } })
    expect(cases.server.warnings).to.deep.equal([
      `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    ])
  })

  it('increments the generation on spec changes and keeps the status separate', async () => {
    const cases = new KindCases(ingressResource)
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }
    const made = await cases.create({ ...withBackend(backend), status })
    expect([made.metadata.generation, made.status]).to.deep.equal([1, { loadBalancer: {} }])
    const reported = await cases.update({ ...withPath({}), status }, {}, 'status')
    expect([reported.metadata.generation, reported.spec, reported.status]).to.deep.equal([1, made.spec, status])
    const changed = await cases.update(withPath({}))
    expect([changed.metadata.generation, changed.status]).to.deep.equal([2, status])
  })

  const statuses: [object, string[]][] = [
    [{ ip: '192.0.2.1', hostname: 'lb.example.com', ports: [{ port: 80, protocol: 'TCP' }] }, []],
    [{ ip: 'abcd' }, ['Invalid status.loadBalancer.ingress[0].ip']],
    [{ hostname: '127.0.0.1' }, ['Invalid status.loadBalancer.ingress[0].hostname']],
    [{ hostname: '*.example.com' }, ['Invalid status.loadBalancer.ingress[0].hostname']],
  ]
  for (const [ingress, causes] of statuses) {
    it(`checks a status of ${JSON.stringify(ingress)}`, async () => {
      const cases = new KindCases(ingressResource)
      await cases.create(withBackend(backend))
      expect(
        await causesOf(cases.update({ ...withBackend(backend), status: { loadBalancer: { ingress: [ingress] } } }, {}, 'status')),
      ).to.deep.equal(causes)
    })
  }

  describe('prints', () => {
    const rules = (...hosts: string[]): object[] => hosts.map(host => (host ? { host } : {}))
    const rows: [string, object, string[]][] = [
      ['any host', { defaultBackend: backend }, ['<none>', '*', '', '80']],
      ['three hosts and TLS', { ingressClassName: 'c', rules: rules('a.a', 'b.b', 'c.c'), tls: [{}] }, ['c', 'a.a,b.b,c.c', '', '80, 443']],
      ['more hosts', { rules: rules('a.a', '', 'b.b', 'c.c', 'd.d', 'e.e') }, ['<none>', 'a.a,b.b,c.c + 3 more...', '', '80']],
    ]
    for (const [what, spec, cells] of rows) {
      it(what, async () => {
        const cases = new KindCases(ingressResource)
        await cases.create({ spec })
        expect(cases.cells()).to.deep.equal(['x', ...cells, '0s'])
      })
    }

    it('each address once', async () => {
      const cases = new KindCases(ingressResource)
      await cases.create(withBackend(backend))
      const ingress = [{ hostname: 'lb.example.com' }, { ip: '192.0.2.1', hostname: 'x.example.com' }, { ip: '192.0.2.1' }, {}]
      await cases.update({ ...withBackend(backend), status: { loadBalancer: { ingress } } }, {}, 'status')
      expect(cases.cells()?.[3]).to.equal('192.0.2.1,lb.example.com')
    })
  })

  describe('service names that begin with a digit', () => {
    const digit = withPath({ backend: { service: { ...service, name: '1svc' } } })
    const ingresses = (release: Release): KindCases => {
      const cases = new KindCases(ingressResource)
      cases.server.features = parseGates(release)
      return cases
    }

    it('are allowed only with the gate', async () => {
      expect(await causesOf(ingresses('1.35').create(digit))).to.deep.equal([`Invalid ${AT}.backend.service.name`])
      expect(await causesOf(ingresses('1.36').create(digit))).to.deep.equal([])
      expect(await causesOf(ingresses('1.36').create(withBackend({ service: { ...service, name: '-svc' } })))).to.deep.equal([
        'Invalid spec.defaultBackend.service.name',
      ])
    })

    it('are kept on update without the gate', async () => {
      const cases = ingresses('1.36')
      await cases.create(digit)
      cases.server.features = parseGates('1.35')
      expect(await causesOf(cases.update(digit, { labels: { a: 'b' } }))).to.deep.equal([])
    })
  })

  it('validates many rules in steps', () => {
    const http = { paths: [{ pathType: 'Prefix' as const, path: '/', backend }] }
    const rules = Array.from({ length: 5120 }, (_, i) => ({ host: `h${i}.example.com`, http }))
    const { result, yields } = countedSteps(validateIngressRules([...rules, { host: '*.*' }], false, () => [], fieldPath('r')))
    expect(result.map(({ field }) => field)).to.deep.equal(['r[5120].host'])
    expect(yields).to.be.at.least(10)
  })
})
