import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** `apiserver` has kube-apiserver's defaults, for programs (envtest) that start it by its own flags; `binnacle` needs none. */
export type Profile = 'binnacle' | 'apiserver'

export const DEFAULT_PROFILE: Profile = 'binnacle'

/** Throws FlagError for any other name. */
export function profileOf(name: string): Profile {
  if (name === 'binnacle' || name === 'apiserver') return name
  throw new FlagError(`--profile=${name} is not a profile; it may be binnacle or apiserver`)
}

/** Where a server keeps what it makes. Files and directories are paths. */
export interface PlaceConfig {
  /** Nothing is kept on a disk that no flag names, and the server ends with the program that has started it. */
  readonly ephemeral: boolean
  /** Undefined: the embedded store is in memory. */
  readonly dataDir: string | undefined
  /** It was made for this run, and goes with it. */
  readonly dataIsTemporary: boolean
  /** Undefined: certificates and keys that are made stay in memory. */
  readonly certDir: string | undefined
  /** Undefined: the administrator's kubeconfig is written to no file. */
  readonly kubeconfigOut: string | undefined
}

/** Throws FlagError for flags of which one says that nothing is kept, and the other where. */
export function placeOf(profile: Profile, read: Reader): PlaceConfig {
  const given = { certDir: read.text('cert-dir'), kubeconfigOut: read.text('kubeconfig-out') }
  if (read.bool('ephemeral')) {
    for (const name of ['data-dir', 'etcd-servers'] as const)
      if (read.text(name) !== undefined) throw new FlagError(`--ephemeral and --${name} do not go together: its store is in memory`)
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

/** kube-apiserver writes nothing into the directory that it is started in: tests are started in that of their sources. */
function dataOf(profile: Profile, read: Reader): { readonly dataDir: string; readonly dataIsTemporary: boolean } {
  const given = read.text('data-dir') ?? (profile === 'apiserver' ? read.text('cert-dir') : 'data')
  // Nobody can guess the name, and so put anything there before.
  return { dataDir: given ?? join(tmpdir(), `kube-apiserver-${randomUUID()}`), dataIsTemporary: given === undefined }
}
