import { expect } from 'chai'
import { convertedObjects, printKind, readReview, reviewBody, reviewVersionOf } from '../../../../src/extensions/conversion/review.ts'
import { link } from '../../../support/conversion.ts'

const HEAD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' }
const BETA = { ...HEAD, apiVersion: 'apiextensions.k8s.io/v1beta1' }
const Success = { status: 'Success' }

const outcome = async (version: 'v1' | 'v1beta1', answer: unknown): Promise<string> => {
  try {
    const body = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer))
    return JSON.stringify(convertedObjects(version, 'u1', await readReview(version, body)))
  } catch (error) {
    return (error as Error).message
  }
}

describe('ConversionReview', () => {
  it('has the first version that both sides support', () => {
    expect(reviewVersionOf(['v2', 'v1beta1', 'v1'])).to.equal('v1beta1')
    expect(reviewVersionOf(['v1'])).to.equal('v1')
    expect(reviewVersionOf(['v2'])).to.equal(undefined)
  })

  it('is encoded as by kube-apiserver', () => {
    // The body that a webhook of kube-apiserver 1.33 receives.
    expect(reviewBody('v1', 'u1', 'example.com/v2', [link('v1', 'a', { hostPort: 'h:<1>', n: 7 })])).to.equal(
      '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u1","desiredAPIVersion":"example.com/v2","objects":[' +
        '{"apiVersion":"example.com/v1","kind":"Link","metadata":{"name":"a","namespace":"ns","uid":"uid-a"},"spec":{"hostPort":"h:\\u003c1\\u003e","n":7}}' +
        ']},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}\n',
    )
  })

  const table: [name: string, version: 'v1' | 'v1beta1', answer: unknown, expected: string][] = [
    ['a response', 'v1', { ...HEAD, response: { uid: 'u1', convertedObjects: [{ a: 1 }], result: Success } }, '[{"a":1}]'],
    ['a response in YAML', 'v1beta1', 'response: {convertedObjects: [{a: 1}], result: {status: Success}}', '[{"a":1}]'],
    ['another uid', 'v1', { ...HEAD, response: { uid: 'other', result: Success } }, 'expected response.uid="u1", got "other"'],
    ['another uid in v1beta1', 'v1beta1', { ...BETA, response: { uid: 'other', convertedObjects: [], result: Success } }, '[]'],
    [
      'a failure with a message',
      'v1',
      { ...HEAD, response: { uid: 'u1', result: { status: 'Failed', message: 'I do not like it' } } },
      'I do not like it',
    ],
    [
      'a failure without',
      'v1',
      { ...HEAD, response: { uid: 'u1', result: { status: 'Failed' } } },
      "response.result.status was 'Failed', not 'Success'",
    ],
    ['no status', 'v1', { ...HEAD, response: { uid: 'u1', result: {} } }, "response.result.status was '', not 'Success'"],
    ['no response', 'v1', HEAD, 'no response provided'],
    [
      'no JSON',
      'v1',
      '<html>no</html>',
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
    ['an invalid apiVersion', 'v1', { ...HEAD, apiVersion: 'a/b/c' }, 'unexpected GroupVersion string: a/b/c'],
    ['invalid YAML', 'v1', 'a: b: c', 'yaml: mapping values are not allowed in this context'],
    [
      'another kind',
      'v1',
      { ...HEAD, kind: 'Foo' },
      'no kind "Foo" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:110"',
    ],
    ['another version', 'v1', BETA, 'converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion'],
    [
      'an unknown version',
      'v1',
      { ...HEAD, apiVersion: 'apiextensions.k8s.io/v7' },
      'no kind "ConversionReview" is registered for version "apiextensions.k8s.io/v7" in scheme "pkg/runtime/scheme.go:110"',
    ],
    ['a Status', 'v1', { kind: 'Status', apiVersion: 'v1' }, 'converting (v1.Status) to (v1.ConversionReview): unknown conversion'],
    ['no type', 'v1', { response: {} }, 'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind='],
    ['no type in v1beta1', 'v1beta1', { response: { result: Success } }, '[]'],
    [
      'an invalid list',
      'v1',
      { ...HEAD, response: { uid: 'u1', convertedObjects: 'x', result: Success } },
      'json: cannot unmarshal string into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension',
    ],
    [
      'an invalid result',
      'v1',
      { ...HEAD, response: { uid: 'u1', result: 'x' } },
      'json: cannot unmarshal string into Go struct field ConversionResponse.response.result of type v1.Status',
    ],
  ]
  for (const [name, version, answer, expected] of table)
    it(`is decoded, or rejected with kube-apiserver's message: ${name}`, async () =>
      expect(await outcome(version, answer)).to.equal(expected))

  it('prints types as kube-apiserver does', () => {
    expect(printKind('example.com/v1', 'Link')).to.equal('example.com/v1, Kind=Link')
    expect(printKind('v1', 'Status')).to.equal('/v1, Kind=Status')
  })
})
