import { FlagError } from '../config/parse-flags.ts'
import { systemClock } from '../lib/clock.ts'
import { type Flags, serveCommand } from '../process/in-process.ts'
import { type MemoryTables, memoryTables } from '../storage/embedded/memory-tables.ts'
import { canonicalTables } from './canonical-tables.ts'
import { lineageOf } from './lineage.ts'
import { MovedClock } from './moved-clock.ts'
import { type Begin, openControlPlane } from './running.ts'
import type { ControlPlane, ControlPlaneOptions } from './types.ts'

/** Flags that are rejected, because a control plane must be in memory to be copied. */
const REFUSED = [
  'data-dir',
  'cert-dir',
  'etcd-servers',
  'ephemeral',
  'workers',
  'encryption-provider-config',
  'tls-cert-file',
  'client-ca-file',
]

/** Default time with a seed, so that two runs show the same times. */
const SEEDED_TIME = new Date('2030-01-01T00:00:00Z')

/**
 * Starts a control plane in this process. Several can run beside each other. The first with given flags creates
 * certificates and initial objects; others start from a copy. Rejects with an Error that names the invalid flag or
 * manifest, or with the signal's abort reason.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { manifests = [], recordedLevel = 'Metadata', log, signal = new AbortController().signal } = options
  const seed = options.seed === undefined ? undefined : String(options.seed)
  const { clock = seed === undefined ? undefined : SEEDED_TIME } = options
  const flags = flagsOf(options)
  const lineage = lineageOf(flags, { seed, clock: clock instanceof Date ? clock : undefined })
  const begin: Begin = { lineage, command: serveCommand(flags), recordedLevel, log, clock: clockOf(clock), seed }
  if (seed !== undefined) lineage.beginning ??= await seededBeginning({ ...begin, clock: clockOf(clock) }, seed, signal)
  const plane = await openControlPlane(begin, lineage.beginning?.fork() ?? memoryTables(), { signal })
  await plane.ready()
  if (lineage.beginning === undefined) {
    // Includes what controllers create in a new cluster. If `reset` deleted it, controllers would create it again each
    // time.
    await plane.settled()
    lineage.beginning ??= plane.tables()
  }
  try {
    await plane.apply(...manifests)
  } catch (error) {
    await plane.stop()
    throw error
  }
  plane.markBeginning()
  return plane
}

/** Initial content of deterministic control planes, at rest, so that all start from the same state. */
async function seededBeginning(begin: Begin, seed: string, signal: AbortSignal): Promise<MemoryTables> {
  const plane = await openControlPlane(begin, memoryTables(), { signal })
  await plane.ready()
  try {
    await plane.settled()
    return await canonicalTables(plane.tables(), seed, new URL(plane.url).port)
  } finally {
    await plane.stop()
  }
}

function clockOf(clock: ControlPlaneOptions['clock']): MovedClock | undefined {
  if (clock === undefined) return undefined
  const at = clock instanceof Date ? clock.getTime() : systemClock.now()
  if (Number.isNaN(at)) throw new TypeError('clock: not a date')
  return new MovedClock({ at, runs: clock === 'running' })
}

/**
 * Converts the options to flags. Throws FlagError for flags that would store anything outside memory, and for nodes
 * without a cluster.
 */
function flagsOf({ release, gates = {}, flags = {}, cluster = false, nodes }: ControlPlaneOptions): Flags {
  const refused = REFUSED.find(name => Object.hasOwn(flags, name))
  if (refused !== undefined) throw new FlagError(`--${refused}: a control plane for tests keeps everything in memory`)
  if (nodes !== undefined && !cluster) throw new FlagError('nodes: only a cluster has nodes: set the option cluster')
  const chosen = Object.entries(gates).map(([name, isOn]) => `${name}=${isOn}`)
  return {
    ...flags,
    ...(release !== undefined && { 'emulated-version': release }),
    ...(cluster && { profile: 'cluster' }),
    ...(nodes !== undefined && { nodes }),
    ...(chosen.length > 0 && { 'feature-gates': [...[flags['feature-gates'] ?? []].flat().map(String), ...chosen] }),
  }
}
