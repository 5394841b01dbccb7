import { previewWarning, type Release } from '../lifecycle/release.ts'
import { type AccessConfig, accessOf } from './access-config.ts'
import { type AdmissionConfig, admissionOf } from './admission-config.ts'
import { requestHeaderWarnings } from './auth-config.ts'
import { anonymousWarnings } from './authentication-config.ts'
import { type ControllersConfig, controllersOf } from './controllers-config.ts'
import { flagDeprecations } from './deprecated-flags.ts'
import { type FlagReader, reader } from './flag-reader.ts'
import { type ListeningConfig, listeningOf } from './listening-config.ts'
import { type NetworkConfig, networkOf } from './network-config.ts'
import { type ObservabilityConfig, observabilityOf } from './observability-config.ts'
import { FlagError, type GivenFlags } from './parse-flags.ts'
import { DEFAULT_PROFILE, type LocationConfig, locationConfig, profileOf } from './place-config.ts'
import { type ReleaseConfig, releaseOf } from './release-config.ts'
import { type RequestsConfig, requestsOf } from './requests-config.ts'
import { type ServingConfig, servingOf } from './serving-config.ts'
import { type StorageConfig, storageOf } from './store-config.ts'

/** The process. Times in milliseconds. */
export interface ProcessConfig {
  /** Number of serving processes. More than one requires etcd. */
  readonly workers: number
  /** Time between the signal and closing the listeners. /readyz fails meanwhile, but requests are served. */
  readonly shutdownDelayMs: number
  /** Grace period of /livez for startup checks. */
  readonly livezGraceMs: number
}

/**
 * Validated options of the server, in groups. All values are defaulted. Times in milliseconds. Files are paths as
 * given.
 */
export interface Config {
  /** Emulated release and feature gates. */
  readonly release: ReleaseConfig
  readonly process: ProcessConfig
  /** Directories and files of the server. */
  readonly files: LocationConfig
  readonly listening: ListeningConfig
  /** TLS and limits of connections. */
  readonly serving: ServingConfig
  readonly requests: RequestsConfig
  readonly access: AccessConfig
  readonly admission: AdmissionConfig
  /** Stores, caches, history and mounts. */
  readonly storage: StorageConfig
  /** Controllers that run, and their options. */
  readonly controllers: ControllersConfig
  /** Addresses of services, and connections to kubelets. */
  readonly network: NetworkConfig
  /** Logs, audit, metrics, tracing and warnings. */
  readonly observability: ObservabilityConfig
}

/** Builds the configuration from flags and defaults. Throws FlagError that names the flag. */
export function buildConfig(given: GivenFlags): Config {
  const read = reader(given)
  const profile = profileOf(read.text('profile') ?? DEFAULT_PROFILE)
  const files = locationConfig(profile, read)
  const release = releaseOf(read)
  const { gates, emulatedVersion } = release
  const { observability, warnings: metricWarnings } = observabilityOf(read, emulatedVersion)
  const { serving, warnings: servingWarnings } = servingOf(read, gates)
  const controllers = controllersOf(profile, given, read)
  const config: Config = {
    release,
    process: {
      workers: read.int('workers', 1),
      shutdownDelayMs: read.duration('shutdown-delay-duration'),
      livezGraceMs: read.duration('livez-grace-period'),
    },
    files,
    listening: listeningOf(given, read, files),
    serving,
    requests: requestsOf(read),
    access: accessOf(profile, read, given, gates),
    admission: {
      ...admissionOf(read, given, emulatedVersion),
      requireServiceAccounts: profile === 'apiserver' || controllers.enabled.has('serviceaccount-controller'),
    },
    storage: storageOf(read),
    controllers,
    network: networkOf(read),
    observability: {
      ...observability,
      flags: given,
      warnings: [...flagWarnings(given, read, emulatedVersion), ...gates.warnings, ...metricWarnings, ...servingWarnings],
    },
  }
  checkTogether(config)
  for (const group of Object.values(config)) Object.freeze(group)
  return Object.freeze(config)
}

const previewWarnings = (release: Release): string[] => {
  const warning = previewWarning(release)
  return warning === undefined ? [] : [`--emulated-version: ${warning}`]
}

const flagWarnings = (given: GivenFlags, read: FlagReader, release: Release): string[] => [
  ...previewWarnings(release),
  ...flagDeprecations(given.values.keys()),
  ...anonymousWarnings(read),
  ...requestHeaderWarnings(read),
]

/** Validates combinations of flags. Throws FlagError. */
function checkTogether({ storage, access: { authorization }, process: { workers }, listening, observability }: Config): void {
  const { etcd, mounts, history } = storage
  const isEtcd = etcd !== undefined && !storage.etcdStandIn
  if (mounts.branches > 0 && isEtcd)
    throw new FlagError(
      `--branches=${mounts.branches} requires the embedded store: etcd cannot keep the revision of a branch, so --etcd-servers must not be set`,
    )
  if (workers > 1 && etcd === undefined)
    throw new FlagError(`--workers=${workers} requires --etcd-servers: the embedded store supports one process`)
  if (workers > 1 && listening.consolePort !== undefined)
    throw new FlagError(`--workers=${workers} and --console are mutually exclusive: sessions are kept by one process`)
  if (workers > 1 && observability.audit.log !== undefined)
    throw new FlagError(`--workers=${workers} and --audit-log-path are mutually exclusive: the log is written by one process`)
  if (history !== undefined && isEtcd)
    throw new FlagError('--history and --etcd-servers are mutually exclusive: etcd and other servers on it compact its revisions')
  if (mounts.moments > 0 && etcd !== undefined && etcd.overrides.length > 0)
    throw new FlagError('--moments and --etcd-servers-overrides are mutually exclusive: a moment is a revision of one store')
  if (authorization.rulesFile !== undefined && !authorization.modes.includes('Rules'))
    throw new FlagError('--authorization-rules-file requires --authorization-mode=Rules')
}
