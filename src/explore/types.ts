// Types of `explore` of `binnacle/testing`. They are part of the published declarations, as is everything they import.

import type { FaultSpec } from '../faults/fault-spec.ts'
import type { ControlPlane, ControlPlaneOptions, User } from '../testing/types.ts'

/**
 * Client of the controller under test. Each start of the controller has its own user, so that requests of an earlier
 * start are recognized.
 */
export interface ControllerClient extends User {
  /** URL of the control plane of the run. */
  readonly url: string
  /** PEM. */
  readonly certificateAuthority: string
  /** Aborts when the controller is stopped or restarted. Its requests get no response from then on. */
  readonly signal: AbortSignal
}

/**
 * Starts the controller. Resolves when it has started, optionally with a function that stops it, which must not wait
 * for responses.
 */
export type StartController = (client: ControllerClient) => Promise<StopController | undefined> | Promise<void>
/** Stops a controller. Its client gets no responses any more. */
export type StopController = () => Promise<void> | void

/** One run of the test. */
export interface ExploreRun {
  /** Control plane of this run, with a client of its administrator. Its requests have no faults. */
  readonly plane: ControlPlane
  /**
   * Starts the controller under test. A restart stops it, and calls the function again with another client. Several
   * controllers are restarted together.
   */
  start(controller: StartController): Promise<void>
  /**
   * Resolves when nothing happens any more, apart from requests and events that are held back. Use it between two steps
   * of the test.
   */
  rest(): Promise<void>
  /**
   * Ends all delays, and resolves when nothing happens any more. Use it before assertions. Rejects if the controller
   * does not come to rest.
   */
  settled(): Promise<void>
}

/** The test: starts the controller, changes objects, and asserts what the controller has made of them. */
export type ExploreTest = (run: ExploreRun) => Promise<void>

/** Options of `explore`. */
export interface ExploreOptions {
  /** Number of perturbed runs. Default: 200. */
  readonly runs?: number
  /** Seed of the schedules. Default: 1. */
  readonly seed?: number
  /** Options of the control plane, of which each run has a fork. */
  readonly controlPlane?: Omit<ControlPlaneOptions, 'seed' | 'clock'>
  /** Groups of the controller's user. Default: `system:masters`. */
  readonly groups?: readonly string[]
  /** Checked after each run, when the controller is at rest. It fails the run if it rejects. */
  readonly invariant?: (plane: ControlPlane) => Promise<void> | void
  /** Paths of fields that are not compared, such as `status.attempts` or `metadata.annotations`. */
  readonly ignore?: readonly string[]
  /** Replays these faults once instead of drawing schedules: a fault file, as text, or its faults. */
  readonly replay?: string | readonly FaultSpec[]
  /**
   * Milliseconds without activity after which the controller is at rest. Default: 12, or more if the undisturbed run
   * has longer pauses.
   */
  readonly quietMs?: number
  /**
   * Milliseconds after which the controller goes on by itself at most, such as to retry or requeue. The first run awaits
   * that the state stays the same for this time, and a run with another state that it reaches the expected one.
   * Default: 3000.
   */
  readonly patienceMs?: number
  /** Called with each line of progress. */
  readonly log?: (line: string) => void
}

/**
 * Runs a test of a controller under many schedules: watches that are late or cut, stale reads, conflicts, errors, and
 * restarts, as the API's contract allows them. Resolves if the test passes and ends in the same state in all of them.
 * Rejects with an ExploreFailure for the first schedule that fails repeatedly, shrunk to the smallest one, and with an
 * Error if the test fails undisturbed.
 */
export declare function explore(test: ExploreTest, options?: ExploreOptions): Promise<Exploration>

/** Result of an exploration without a failure. */
export interface Exploration {
  /** Maximum number of runs, as given. 1 for a replay. */
  readonly runs: number
  /** Seed, as given. */
  readonly seed: number
  /** Number of perturbations that the undisturbed run allows. */
  readonly perturbations: number
  /** Writes of the controller in the undisturbed run. */
  readonly writes: number
  /** Failed runs whose failure did not occur again. */
  readonly unrepeated: readonly string[]
}

/** Error of `explore` for a controller that fails under a schedule. Its message has the story and the fault file. */
export interface ExploreFailure extends Error {
  readonly name: 'ExploreFailure'
  /** `the test`, `an invariant`, `quiescence`, `final state`, `stuck deletion`, `orphan` or `write storm`. */
  readonly kind: string
  /** Seed of the schedules, as given or by default. */
  readonly seed: number
  /** Number of the run that failed first, from 1. */
  readonly run: number
  /** Requests, events and perturbations of the smallest schedule that fails, in order. */
  readonly story: readonly string[]
  /** Faults of the smallest schedule. */
  readonly faults: readonly FaultSpec[]
  /** YAML with a Fault object for each fault. `replay` accepts it. */
  readonly faultFile: string
}
