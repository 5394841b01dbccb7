import type { Clock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { pollFiles } from '../../lib/poll-files.ts'
import { runInTurns } from '../../lib/steps.ts'
import { AdmissionConfigError } from '../configuration-file.ts'
import type { ManifestPluginName } from './manifest-directories.ts'
import { ManifestDirectory, type ManifestDocument, type ManifestFiles, manifestDocuments } from './manifest-files.ts'
import type { ManifestMetrics } from './manifest-metrics.ts'

/** Default interval between reads of a directory, in milliseconds. */
const INTERVAL_MS = 1_000

/** A directory and the place for its objects. `clock` gives the times in the metrics. */
export interface ManifestSourceOptions {
  readonly plugin: ManifestPluginName
  readonly directory: string
  readonly metrics: ManifestMetrics
  readonly clock: Clock
  readonly logger: Logger
  /** Optional. Milliseconds between reads of the directory. Default: 1 s. */
  readonly intervalMs?: number
  /**
   * Decodes and validates documents, and puts their objects into force. Rejects, and changes nothing, if one is
   * invalid.
   */
  apply(documents: readonly ManifestDocument[]): Promise<void>
}

/**
 * Manifests of one plugin, which are loaded at start and whenever they change. If they become invalid, the last valid
 * ones stay in force.
 */
export class ManifestSource {
  readonly #options: ManifestSourceOptions
  readonly #directory: ManifestDirectory
  /** Hash of the files that are in force. Undefined until they are loaded. */
  #hash: string | undefined

  constructor(options: ManifestSourceOptions) {
    this.#options = options
    this.#directory = new ManifestDirectory(options.directory)
  }

  /** Loads the manifests, once. Throws AdmissionConfigError with kube-apiserver's message if they are invalid. */
  async load(): Promise<void> {
    if (this.#hash !== undefined) return
    const { plugin, directory } = this.#options
    try {
      await this.#apply(await this.#directory.read())
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const kind = plugin.endsWith('Webhook') ? 'webhook' : 'policy'
      throw new AdmissionConfigError(
        `failed to initialize admission plugin "${plugin}": failed to load static ${kind} manifests from "${directory}": ${error.message}`,
      )
    }
  }

  /** Loads the manifests if that was not done yet, then reloads them when they change, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.load().catch((error: unknown) => this.#failed(errorMessage(error)))
    const { intervalMs = INTERVAL_MS } = this.#options
    await pollFiles(
      {
        read: () => this.#directory.read(),
        identityOf: ({ hash }) => hash,
        inForce: this.#hash ?? '',
        intervalMs,
        changed: files => this.#reload(files),
        failed: error => this.#failed(error),
      },
      signal,
    )
  }

  /** Applies changed files. Invalid ones are reported once, until they change again. */
  async #reload(files: ManifestFiles): Promise<void> {
    const { plugin, directory, logger } = this.#options
    try {
      await this.#apply(files)
      logger.info('reloaded admission manifests', { plugin, directory })
    } catch (error) {
      this.#failed(errorMessage(error))
    }
  }

  #failed(error: string): void {
    const { plugin, directory, logger, metrics, clock } = this.#options
    metrics.failed(plugin, clock.now())
    logger.error('admission manifests cannot be reloaded', { plugin, directory, error })
  }

  async #apply({ files, hash }: ManifestFiles): Promise<void> {
    const { plugin, metrics, clock, apply } = this.#options
    await apply(await runInTurns(manifestDocuments(files)))
    this.#hash = hash
    metrics.loaded(plugin, hash, clock.now())
  }
}
