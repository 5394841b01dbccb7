/** Expected output of a command: an exact text on standard output, or a pattern that occurs in any output. */
export type Expected = string | RegExp

/**
 * A command line without `kubectl`, and what it must print. `{ns}`: the namespace of the script, which is the default;
 * `{node}`: a name for a Node of its own; `{files}`: the folder of manifests; and what steps before have saved, by its
 * name.
 */
export type Step =
  | readonly [command: string, ...prints: Expected[]]
  | {
      readonly run: string
      readonly prints: readonly Expected[]
      /** Ends with a status other than 0. */
      readonly fails?: true
      readonly stdin?: string
      readonly env?: Readonly<Record<string, string>>
      /** A command that is run meanwhile, half a second later. */
      readonly meanwhile?: string
      /** Run again until it prints what it must, for at most ten seconds. */
      readonly eventually?: true
      /** A name for what it prints. */
      readonly saves?: string
      /** The first minor release of kubectl that knows it. */
      readonly since?: number
    }

/** Commands in their order, in a namespace of their own. */
export interface Script {
  readonly name: string
  readonly steps: readonly Step[]
}
