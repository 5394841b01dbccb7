import { compareText } from '../../lib/compare-text.ts'
import type { APIService } from '../../resources/apiregistration/v1.types.ts'

/** The server behind an APIService. */
export interface Backend {
  readonly namespace: string
  readonly name: string
  readonly port: number
  /** PEM; absent: the authorities of the system count. */
  readonly certificateAuthority?: string
  readonly insecureSkipTLSVerify: boolean
}

/** What an APIService says. */
export interface Registration {
  /** Of the APIService: `v1beta1.metrics.k8s.io`. */
  readonly name: string
  /** Empty: the core group. */
  readonly group: string
  readonly version: string
  readonly groupPriority: number
  readonly versionPriority: number
  /** Absent: this server serves the group version itself. */
  readonly backend?: Backend
  /** Its condition `Available` is true. */
  readonly isAvailable: boolean
}

const DEFAULT_PORT = 443

/** What an APIService says of a group version. */
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

/** The name in the certificate of a backend. */
export const serverNameOf = ({ namespace, name }: Backend): string => `${name}.${namespace}.svc`

/** Where a group version is found: `/apis/GROUP/VERSION`, `/api/v1`. */
export const pathOf = ({ group, version }: Pick<Registration, 'group' | 'version'>): string => (group === '' ? `/api/${version}` : `/apis/${group}/${version}`)

/** Groups by priority, and the versions of one by theirs. */
export const byPriority = (a: Registration, b: Registration): number =>
  b.groupPriority - a.groupPriority || compareText(a.group, b.group) || b.versionPriority - a.versionPriority || compareText(a.name, b.name)
