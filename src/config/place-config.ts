import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/**
 * Set of defaults. `apiserver` has kube-apiserver's defaults, for programs such as envtest that pass its flags.
 * `binnacle` works without flags. `cluster` runs the parts of `src/cluster` in addition.
 */
export type Profile = 'binnacle' | 'apiserver' | 'cluster'

export const DEFAULT_PROFILE: Profile = 'binnacle'

/** Parses a profile. Throws FlagError. */
export function profileOf(name: string): Profile {
  if (name === 'binnacle' || name === 'apiserver' || name === 'cluster') return name
  throw new FlagError(`--profile=${name} is not a profile; it may be binnacle, cluster or apiserver`)
}

/** Locations of the files that a server creates. All are paths. */
export interface LocationConfig {
  /** Whether nothing is written to disk unless a flag names the file, and the server ends with its parent process. */
  readonly ephemeral: boolean
  /** Undefined if the embedded store is in memory. */
  readonly dataDir: string | undefined
  /** Whether the data directory is created for this run and deleted at its end. */
  readonly dataIsTemporary: boolean
  /** Undefined if generated certificates and keys stay in memory. */
  readonly certDir: string | undefined
  /** Undefined if no kubeconfig is written. */
  readonly kubeconfigOut: string | undefined
}

/** Determines the locations. Throws FlagError if flags contradict each other. */
export function locationConfig(profile: Profile, read: FlagReader): LocationConfig {
  const given = { certDir: read.text('cert-dir'), kubeconfigOut: read.text('kubeconfig-out') }
  if (read.bool('ephemeral')) {
    for (const name of ['data-dir', 'etcd-servers'] as const)
      if (read.text(name) !== undefined) throw new FlagError(`--ephemeral and --${name} are mutually exclusive: its store is in memory`)
    return { ephemeral: true, dataDir: undefined, dataIsTemporary: false, ...given }
  }
  const { dataDir, dataIsTemporary } = dataOf(profile, read)
  return {
    ephemeral: false,
    dataDir,
    dataIsTemporary,
    certDir: given.certDir ?? join(dataDir, 'pki'),
    kubeconfigOut: given.kubeconfigOut ?? join(dataDir, 'admin.kubeconfig'),
  }
}

/**
 * Determines the data directory. As kube-apiserver, the profile `apiserver` writes nothing into the working directory,
 * which is often a source tree of tests.
 */
function dataOf(profile: Profile, read: FlagReader): { readonly dataDir: string; readonly dataIsTemporary: boolean } {
  const given = read.text('data-dir') ?? (profile === 'apiserver' ? read.text('cert-dir') : 'data')
  // The random name prevents others from creating the directory first.
  return { dataDir: given ?? join(tmpdir(), `kube-apiserver-${randomUUID()}`), dataIsTemporary: given === undefined }
}
