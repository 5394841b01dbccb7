import { expect } from 'chai'
import { parseTracingFile, TracingConfigError } from '../../../../src/server/tracing/tracing-file.ts'

/**
 * Cases of k8s.io/apiserver's TestValidateTracingOptions and TestReadTracingConfiguration, and component-base's
 * TestValidateTracingConfiguration.
 */
describe('parseTracingFile', () => {
  const file = (fields: string, version = 'v1beta1'): Buffer =>
    Buffer.from(`apiVersion: apiserver.config.k8s.io/${version}\nkind: TracingConfiguration\n${fields}`)
  const parsed = (fields: string, version?: string) => {
    const { endpoint, samplingRatePerMillion } = parseTracingFile(file(fields, version))
    return { endpoint, samplingRatePerMillion }
  }
  for (const [version, fields, endpoint, samplingRatePerMillion] of [
    ['v1alpha1', 'endpoint: localhost:4317\nsamplingRatePerMillion: 12345', 'localhost:4317', 12345],
    ['v1beta1', 'samplingRatePerMillion: 1000000', undefined, 1_000_000],
    ['v1', 'endpoint: dns://google.com/service:4317', 'dns://google.com/service:4317', undefined],
    ['v1', 'endpoint: unix:///path', 'unix:///path', undefined],
  ] as const)
    it(`accepts ${version} with ${fields.replace('\n', ', ')}`, () =>
      expect(parsed(fields, version)).to.deep.equal({ endpoint, samplingRatePerMillion }))

  for (const [fields, error] of [
    [
      'samplingRatePerMillion: -1',
      'failed to validate tracing configuration: samplingRatePerMillion: Invalid value: -1: sampling rate must be positive',
    ],
    ['samplingRatePerMillion: 1000001', 'sampling rate per million must be less than or equal to one million'],
    [
      'endpoint: http://localhost:4317',
      'endpoint: Invalid value: "http://localhost:4317": unsupported scheme: http.  Options are none, dns, unix, or unix-abstract.',
    ],
    ['endpoint: localhost%%2:1', 'invalid URL escape'],
    ['endpoint: unix-abstract:///x', 'unix-abstract is not implemented'],
    [
      'endpoints: a',
      'failed to read tracing config: unable to decode tracing configuration data: strict decoding error: unknown field "endpoints"',
    ],
  ] as const)
    it(`refuses ${fields}`, () => expect(() => parsed(fields)).to.throw(TracingConfigError, error))

  it('refuses another kind', () =>
    expect(() => parseTracingFile(Buffer.from('apiVersion: v1\nkind: TracingConfiguration'))).to.throw(
      TracingConfigError,
      'no kind "TracingConfiguration"',
    ))
})
