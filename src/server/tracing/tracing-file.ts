import { join } from 'node:path'
import { decodeConfigFile } from '../../codec/config-file.ts'
import { type FieldError, fieldErrorText, invalid } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { GoUrlError, parseGoUrl } from '../../meta/go-url.ts'
import { DecodeError } from '../../schema/decode.ts'
import { TypeRegistry } from '../../schema/idl.ts'

/**
 * apiserver.config.k8s.io TracingConfiguration:
 * https://kubernetes.io/docs/reference/config-api/apiserver-config.v1beta1/
 */
export interface TracingConfig {
  /** Address of the collector. Defaults to localhost:4317. */
  readonly endpoint?: string
  /** Defaults to 0. Only requests whose client samples them are recorded. */
  readonly samplingRatePerMillion?: number
}

/** The configuration is invalid. The message is for the user. */
export class TracingConfigError extends Error {
  override readonly name = 'TracingConfigError'
  /** Distinguishes a configuration error from a bug, like the codes of system errors. */
  readonly code = 'ERR_TRACING_CONFIG'
}

const VERSIONS = ['apiserver.config.k8s.io/v1alpha1', 'apiserver.config.k8s.io/v1beta1', 'apiserver.config.k8s.io/v1']
const MOST_RATE = 1_000_000

/** Parses and validates a TracingConfiguration. Throws TracingConfigError with kube-apiserver's messages. */
export function parseTracingFile(bytes: Buffer): TracingConfig {
  const types = new TypeRegistry().addFile('tracing', join(import.meta.dirname, 'tracing-configuration.types'))
  const type = types.type('tracing.TracingConfiguration')
  let config: TracingConfig
  try {
    config = decodeConfigFile(bytes, (apiVersion, kind) =>
      VERSIONS.includes(apiVersion) && kind === 'TracingConfiguration' ? type : undefined,
    )
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new TracingConfigError(`failed to read tracing config: unable to decode tracing configuration data: ${error.message}`)
  }
  const errors = [...rateErrors(config), ...endpointErrors(config)].map(fieldErrorText)
  if (errors.length > 0)
    throw new TracingConfigError(`failed to validate tracing configuration: ${errors.length > 1 ? `[${errors.join(', ')}]` : errors[0]}`)
  return config
}

function rateErrors({ samplingRatePerMillion: rate = 0 }: TracingConfig): FieldError[] {
  const path = fieldPath('samplingRatePerMillion')
  if (rate < 0) return [invalid(path, rate, 'sampling rate must be positive')]
  return rate > MOST_RATE ? [invalid(path, rate, 'sampling rate per million must be less than or equal to one million')] : []
}

/** An endpoint without a scheme is a name for DNS, as in gRPC. */
function endpointErrors({ endpoint }: TracingConfig): FieldError[] {
  if (endpoint === undefined) return []
  const path = fieldPath('endpoint')
  const url = endpoint.includes('//') ? endpoint : `dns://${endpoint}`
  try {
    const { scheme } = parseGoUrl(url)
    if (scheme === 'dns' || scheme === 'unix') return []
    const why =
      scheme === 'unix-abstract'
        ? 'unix-abstract is not implemented'
        : `unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`
    return [invalid(path, url, why)]
  } catch (error) {
    if (error instanceof GoUrlError) return [invalid(path, url, error.message)]
    throw error
  }
}
