import { FlagError } from '../config/parse-flags.ts'
import { systemClock } from '../lib/clock.ts'
import { type Flags, serveCommand } from '../process/in-process.ts'
import { type MemoryTables, memoryTables } from '../storage/embedded/memory-tables.ts'
import { canonicalTables } from './canonical-tables.ts'
import { lineageOf } from './lineage.ts'
import { MovedClock } from './moved-clock.ts'
import { type Begin, openControlPlane } from './running.ts'
import type { ControlPlane, ControlPlaneOptions } from './types.ts'

/** A control plane is in memory, keys and all, so that it can be copied. */
const REFUSED = ['data-dir', 'cert-dir', 'etcd-servers', 'ephemeral', 'workers', 'encryption-provider-config', 'tls-cert-file', 'client-ca-file']

/** Where a seed says nothing else: two runs show the same times. */
const SEEDED_TIME = new Date('2030-01-01T00:00:00Z')

/**
 * Starts a control plane in this process, beside others that may run in it. The first with its flags makes certificates and the objects that every cluster begins with; others begin with a copy of those. Rejects with an Error that names
 * the flag or the object that it cannot start with, and with the signal's reason where that aborts.
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
    // What controllers make of a new cluster is part of its beginning: a reset that took it away would have them make it again, and again.
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

/** What a new control plane holds when it has come to rest: the one that makes it and all others then begin alike. */
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

/** Throws FlagError for those that would take something out of memory. */
function flagsOf({ release, gates = {}, flags = {} }: ControlPlaneOptions): Flags {
  const refused = REFUSED.find(name => Object.hasOwn(flags, name))
  if (refused !== undefined) throw new FlagError(`--${refused}: a control plane for tests keeps everything in memory`)
  const chosen = Object.entries(gates).map(([name, isOn]) => `${name}=${isOn}`)
  return {
    ...flags,
    ...(release !== undefined && { 'emulated-version': release }),
    ...(chosen.length > 0 && { 'feature-gates': [...[flags['feature-gates'] ?? []].flat().map(String), ...chosen] }),
  }
}
