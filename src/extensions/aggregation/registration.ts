import type { APIService } from '../../api/apiregistration/v1.types.ts'
import { compareText } from '../../lib/compare-text.ts'

/** Service and TLS settings of an aggregated server. */
export interface Backend {
  /** Namespace of the Service. */
  readonly namespace: string
  /** Name of the Service. */
  readonly name: string
  /** Port of the Service. Default: 443. */
  readonly port: number
  /** Optional. PEM certificates. Default: the CAs of the system. */
  readonly certificateAuthority?: string
  /** Whether any certificate of the server is accepted. */
  readonly insecureSkipTLSVerify: boolean
}

/** Parsed APIService. */
export interface Registration {
  /** Name of the APIService, such as `v1beta1.metrics.k8s.io`. */
  readonly name: string
  /** Empty for the core group. */
  readonly group: string
  /** Version within the group: `v1beta1`. */
  readonly version: string
  /** `groupPriorityMinimum`. Groups with a higher one are listed first. */
  readonly groupPriority: number
  /** Versions with a higher one are listed first within their group. */
  readonly versionPriority: number
  /** Optional. Omitted if this server serves the group version itself. */
  readonly backend?: Backend
  /** Whether its condition `Available` is true. */
  readonly isAvailable: boolean
}

/** Port of a service reference without one, as in the API's defaults. */
const DEFAULT_PORT = 443

/** Parses an APIService. */
export function registrationOf({ metadata, spec, status }: APIService): Registration {
  const { group = '', version = '', service, caBundle, insecureSkipTLSVerify = false } = spec
  return {
    name: metadata.name ?? '',
    group,
    version,
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
    isAvailable: status.conditions?.some(({ type, status }) => type === 'Available' && status === 'True') === true,
    ...(service && {
      backend: {
        namespace: service.namespace ?? '',
        name: service.name ?? '',
        port: service.port ?? DEFAULT_PORT,
        insecureSkipTLSVerify,
        ...(caBundle && { certificateAuthority: Buffer.from(caBundle, 'base64').toString() }),
      },
    }),
  }
}

/** Name that the server's certificate must contain. */
export const serverNameOf = ({ namespace, name }: Backend): string => `${name}.${namespace}.svc`

/** Path of a group version: `/apis/GROUP/VERSION` or `/api/v1`. */
export const groupVersionPath = ({ group, version }: Pick<Registration, 'group' | 'version'>): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`

/** Orders groups by priority, and versions within a group by theirs. */
export const byPriority = (a: Registration, b: Registration): number =>
  b.groupPriority - a.groupPriority || compareText(a.group, b.group) || b.versionPriority - a.versionPriority || compareText(a.name, b.name)
