import { expect } from 'chai'
import { ingressClassResource } from '../../../../../src/resources/networking/ingress-class/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const of = (controller: string, parameters?: object): object => ({ spec: { controller, ...(parameters && { parameters }) } })
const parameters = { apiGroup: 'example.com', kind: 'Foo', name: 'foo' }

describe('IngressClass', () => {
  validates(
    ingressClassResource,
    {
      'a controller': [of('foo.co/bar/baz~x%20'), []],
      'parameters of the cluster': [of('foo.co/bar', parameters), []],
      'parameters of a namespace': [of('foo.co/bar', { ...parameters, scope: 'Namespace', namespace: 'ns' }), []],
      'parameters of the core group': [of('foo.co/bar', { kind: 'ConfigMap', name: 'c' }), []],
      'no controller': [{ spec: {} }, ['Required spec.controller']],
      'a controller without path': [of('foo.co'), ['Invalid spec.controller']],
      'a controller without domain': [of('/bar'), ['Invalid spec.controller']],
      'a controller with an empty path': [of('foo.co/'), ['Invalid spec.controller']],
      'a bad domain and a bad path': [of('Foo/b#r'), ['Invalid spec.controller', 'Invalid spec.controller']],
      'a controller of 250 bytes': [of(`foo.co/${'b'.repeat(243)}`), []],
      'a controller of more': [of(`foo.co/${'b'.repeat(244)}`), ['TooLong spec.controller']],
      'empty parameters': [of('foo.co/bar', {}), ['Required spec.parameters.kind', 'Required spec.parameters.name']],
      'bad parameters': [
        of('foo.co/bar', { apiGroup: 'a_b', kind: 'a/b', name: '%' }),
        ['Invalid spec.parameters.apiGroup', 'Invalid spec.parameters.kind', 'Invalid spec.parameters.name'],
      ],
      'another scope': [of('foo.co/bar', { ...parameters, scope: 'Galaxy' }), ['NotSupported spec.parameters.scope']],
      'a namespace for the cluster': [of('foo.co/bar', { ...parameters, namespace: 'ns' }), ['Forbidden spec.parameters.namespace']],
      'no namespace': [of('foo.co/bar', { ...parameters, scope: 'Namespace' }), ['Required spec.parameters.namespace']],
      'a bad namespace': [of('foo.co/bar', { ...parameters, scope: 'Namespace', namespace: 'a.b' }), ['Invalid spec.parameters.namespace']],
    },
    {
      parameters: [of('foo.co/bar'), of('foo.co/bar', parameters), []],
      'the controller': [of('foo.co/bar'), of('foo.co/other'), ['Invalid spec.controller']],
    },
  )

  it('describes valid controllers in the error', async () => {
    const cases = new KindCases(ingressClassResource)
    expect(await messagesOf(cases.create(of('foo.co')))).to.deep.equal([
      'spec.controller: Invalid value: "foo.co": must be a domain-prefixed path (such as "acme.io/foo")',
    ])
    expect(await messagesOf(cases.create(of('foo.co/b#r')))).to.deep.equal([
      "spec.controller: Invalid value: \"b#r\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
    ])
  })

  it('defaults the scope of parameters to Cluster and increments the generation on spec changes', async () => {
    const cases = new KindCases(ingressClassResource)
    expect((await cases.create(of('foo.co/bar', parameters))).spec.parameters.scope).to.equal('Cluster')
    expect((await cases.update(of('foo.co/bar', parameters), { labels: { a: 'b' } })).metadata.generation).to.equal(1)
    expect((await cases.update(of('foo.co/bar'))).metadata.generation).to.equal(2)
  })

  const rows: [object | undefined, string][] = [
    [undefined, '<none>'],
    [parameters, 'Foo.example.com/foo'],
    [{ kind: 'ConfigMap', name: 'c' }, 'ConfigMap/c'],
  ]
  for (const [given, cell] of rows) {
    it(`prints parameters ${cell}`, async () => {
      const cases = new KindCases(ingressClassResource)
      await cases.create(of('foo.co/bar', given))
      expect(cases.cells()).to.deep.equal(['x', 'foo.co/bar', cell, '0s'])
    })
  }
})
