import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readKubeconfig } from '../../clients/cluster-access.ts'
import { ClusterClient } from '../../clients/cluster-client.ts'
import { importCluster } from '../../commands/import/cluster.ts'
import { type ImportTarget, importPath } from '../../commands/import/files.ts'
import { ObjectImporter } from '../../commands/import/object-importer.ts'
import { Remarks } from '../../commands/import/remarks.ts'
import { ArgumentError } from '../../lib/arguments.ts'
import { readConfigFileSync } from '../../lib/bounded-input.ts'
import { LineBudget } from '../../lib/line-budget.ts'
import type { Release } from '../../lifecycle/release.ts'
import { fillFromValues, type ImportedValue } from '../../storage/embedded/import.ts'
import { type MemoryTables, memoryTables } from '../../storage/embedded/memory-tables.ts'
import { looksLikeBolt } from '../../storage/etcd-snapshot/bolt-file.ts'
import { snapshotState, snapshotValues } from '../../storage/etcd-snapshot/read-snapshot.ts'
import { checkedSnapshot } from '../../storage/etcd-snapshot/snapshot-hash.ts'
import { DEFAULT_LIMITS, limitFlag } from '../../upgrade/input-limits.ts'
import { InputWatch } from '../../upgrade/input-watch.ts'
import { releaseOf } from '../../upgrade/report/sources/cluster.ts'
import { dataDirectoryValues } from '../../upgrade/report/sources/data-directory.ts'
import { MemorySpool } from './memory-spool.ts'

/** Objects of a cluster that the input is checked against. */
export interface ClusterState {
  /** Content for the store of a fork, which takes it over. */
  readonly tables: MemoryTables
  /** Whether all objects of the cluster are in it. A dump may lack some, such as the namespaces of its objects. */
  readonly isComplete: boolean
  /** Remarks on how the objects were read. */
  readonly remarks: readonly string[]
}

/** Options of `readCluster`. */
export interface ClusterSource {
  /** Etcd snapshot, data directory, file or folder of objects, or kubeconfig. */
  readonly path: string
  /** Context of a kubeconfig. Undefined for the current one. */
  readonly context: string | undefined
  /** Release of the fork. Undefined if it is to be that of the cluster. */
  readonly release: Release | undefined
  /** Release if it is neither given nor known from the cluster. */
  readonly defaultRelease: Release
  /** Whether the hash at the end of a snapshot is not verified. */
  readonly skipHashCheck: boolean
  /** Prefix of the keys of a snapshot. */
  readonly prefix: string
}

/** Cluster with the release of the fork. */
export interface ReadCluster extends ClusterState {
  /** Given release, or that of a live cluster. */
  readonly release: Release
}

/**
 * Reads a cluster. Nothing is written. Throws ArgumentError, ManifestError, BackendError, BoltError and ClusterError.
 */
export async function readCluster(source: ClusterSource): Promise<ReadCluster> {
  const { path, release, defaultRelease } = source
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new ArgumentError(`--against ${path}: no such file or folder`)
  if (found.isFile() && looksLikeBolt(path)) return { ...(await snapshotTables(source)), release: release ?? defaultRelease }
  if (found.isDirectory() && existsSync(join(path, 'store', 'data.mdb')))
    return { ...(await dataDirectory(path)), release: release ?? defaultRelease }
  if (found.isFile() && isKubeconfig(path)) return liveCluster(source)
  return { ...(await dumpedObjects(path, release ?? defaultRelease)), release: release ?? defaultRelease }
}

/**
 * Reads a file or folder of objects. Throws ArgumentError if it has none: a check against a path that was given by
 * mistake would find nothing. A list without items is accepted.
 */
async function dumpedObjects(path: string, release: Release): Promise<ClusterState> {
  const { count, ...state } = await objects(release, false, target => importPath(path, target))
  const [remark] = state.remarks
  if (count > 0 || (remark === undefined && isListFile(path))) return state
  throw new ArgumentError(`--against ${remark ?? `${path}: no objects of a cluster are in it`}`)
}

/** Reads an etcd snapshot. Leases are dropped, since objects do not expire during a check. */
async function snapshotTables({ path, skipHashCheck, prefix }: ClusterSource): Promise<ClusterState> {
  const checked = checkedSnapshot(path, { skipHashCheck })
  const values = [...snapshotValues(checked, prefix)].map(({ lease: _, ...value }) => ({ ...value, deadline: undefined }))
  return { tables: await tablesOf(values, snapshotState(checked).revision), isComplete: true, remarks: [] }
}

/** Reads the data directory of a server. Objects do not expire during a check. */
async function dataDirectory(path: string): Promise<ClusterState> {
  const values: ImportedValue[] = []
  for await (const { key, value, createRevision, modRevision } of dataDirectoryValues(path))
    values.push({ key, value: Buffer.from(value), createRevision, modRevision, deadline: undefined })
  const newest = values.reduce((most, { modRevision }) => Math.max(most, modRevision), 0)
  return { tables: await tablesOf(values, newest), isComplete: true, remarks: [] }
}

/** Reads all objects of a cluster by its API. Without a given release, that of the server counts. */
async function liveCluster({ path, context, release }: ClusterSource): Promise<ReadCluster> {
  const client = new ClusterClient(readKubeconfig(path, context))
  try {
    const emulated = release ?? (await releaseOf(client))
    const { count: _, ...state } = await objects(emulated, true, target => importCluster(client, target))
    return { ...state, release: emulated }
  } finally {
    client.close()
  }
}

/** A cluster with the number of its objects. */
interface ImportedState extends ClusterState {
  readonly count: number
}

/** Converts objects, as an API server returns them, to the values of a store. */
async function objects(release: Release, isComplete: boolean, read: (target: ImportTarget) => Promise<void>): Promise<ImportedState> {
  const lines: string[] = []
  const remarks = new Remarks(new LineBudget(line => lines.push(line.trimEnd()), DEFAULT_LIMITS.lines, limitFlag('lines')))
  const now = `${new Date().toISOString().slice(0, 19)}Z`
  const importer = new ObjectImporter({ release, prefix: '/registry', redactsSecrets: false, now }, remarks, new MemorySpool())
  const watch = new InputWatch({ limits: DEFAULT_LIMITS, say: () => {}, now: () => performance.now() })
  await read({ importer, remarks, watch })
  const { newest, values } = importer.finish(Date.now())
  const imported = [...values]
  const tables = await tablesOf(imported, newest)
  remarks.end()
  return { count: imported.length, tables, isComplete, remarks: lines.filter(line => !line.includes('had no resource version')) }
}

/** Fills a store with values. `newest` becomes its revision. */
async function tablesOf(values: Iterable<ImportedValue>, newest: number): Promise<MemoryTables> {
  const tables = memoryTables()
  await fillFromValues(tables, values, newest)
  return tables
}

/** Reports whether a file is a list, such as `kubectl get -o yaml` prints also if there are no objects. */
const isListFile = (path: string): boolean =>
  statSync(path).isFile() && /^[ \t]{0,8}"?kind"?: {0,4}"?[A-Za-z]{0,200}List"?[,\r]{0,2}$/m.test(readConfigFileSync(path).toString())

/** Bytes of the largest kubeconfig. */
const KUBECONFIG_BYTES = 1 << 20

/** Reports whether a file is a kubeconfig. */
function isKubeconfig(path: string): boolean {
  if (statSync(path).size > KUBECONFIG_BYTES) return false
  const text = readConfigFileSync(path).toString()
  return /^[ \t]{0,8}"?kind"?: {0,4}"?Config"?[,\r]{0,2}$/m.test(text) && text.includes('clusters')
}
