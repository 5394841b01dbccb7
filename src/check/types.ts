// Declarations of `binnacle/check`. The package publishes them, so this file imports nothing.

/**
 * Severity of a finding. `error`: the server refuses the object. `warning`: the server accepts the object, and it will
 * not work as written or will stop working. `note`: for information.
 */
export type CheckSeverity = 'error' | 'warning' | 'note'

/** Names an object of the input. */
export interface CheckedName {
  /** As written, before any conversion. */
  readonly apiVersion: string
  readonly kind: string
  /** Omitted for cluster-scoped objects. */
  readonly namespace?: string
  /** Empty if the object has no name. */
  readonly name: string
}

/** Range in a file. Lines and columns begin with 1; columns are UTF-16 code units. The end is exclusive. */
export interface CheckPosition {
  /** Path as it was passed, `-` for standard input. */
  readonly file: string
  /** Line of the first character. */
  readonly line: number
  /** Column of the first character. */
  readonly column: number
  /** Line of the end. */
  readonly endLine: number
  /** Column after the last character. */
  readonly endColumn: number
  /** Optional. Template that produced the object, from the `# Source:` comment of Helm. */
  readonly source?: string
}

/** A finding about an object or a file. */
export interface CheckFinding {
  /** Name of the rule. The names are stable. */
  readonly rule: string
  /** The option `--fail-on` of the command chooses the least severity that fails. */
  readonly severity: CheckSeverity
  /** Message in the words of the server, if it has one. */
  readonly message: string
  /** Optional. Advice: how to correct the object. */
  readonly advice?: string
  /** Omitted if the finding is about a file. */
  readonly object?: CheckedName
  /**
   * Optional. Version that the object was converted to, because the release does not serve its own: the finding is
   * about the result.
   */
  readonly as?: string
  /** Optional. Path of the field, such as `spec.template.spec.containers[0].image`. */
  readonly field?: string
  /** Optional. Policy, webhook, quota or manager that caused the finding. */
  readonly by?: string
  /** Optional. Unified diff of the changes to the object. */
  readonly diff?: string
  /** Omitted if the finding has no place in a file. */
  readonly position?: CheckPosition
}

/** Response of the server to an object: `refused` is an error response, `unknown` a kind that it does not serve. */
export type CheckVerdict = 'created' | 'configured' | 'unchanged' | 'refused' | 'unknown'

/** An object of the input with the response of the server. */
export interface CheckedObject extends CheckedName {
  /** Response as a word, in which kubectl reports it. */
  readonly verdict: CheckVerdict
  /** HTTP status code. 0 if there is no request: the kind is not served, or no path can have the namespace. */
  readonly code: number
  /** Message of the Status if the object was refused. */
  readonly message?: string
  /** Range of the object. */
  readonly position: CheckPosition
  /** Optional. Unified diff of the stored object, with the option `diff`. */
  readonly diff?: string
}

/** Result of a case of `cases`. */
export interface CaseResult {
  /** Name of the case in its file. */
  readonly name: string
  /** File of the case. */
  readonly file: string
  /** Whether the response was the expected one. */
  readonly passed: boolean
  /** Reason of the failure. */
  readonly message?: string
  /** Reason why the case was not run. It counts as passed. */
  readonly skipped?: string
}

/** Result of a check. */
export interface CheckResult {
  /** Release that was checked against: `1.33`. */
  readonly release: string
  /** Objects in the order of files and lines. */
  readonly objects: readonly CheckedObject[]
  /** Findings in the order of files and lines. */
  readonly findings: readonly CheckFinding[]
  /** Results of `cases`. Empty without them. */
  readonly cases: readonly CaseResult[]
  /** Remarks on the check itself, such as objects of the cluster that could not be read. */
  readonly remarks: readonly string[]
}

/** Options of `check`. */
export interface CheckOptions {
  /** Files, folders and `-` for standard input. */
  readonly paths?: readonly string[]
  /** Texts of manifests, by file name. Checked after `paths`. */
  readonly texts?: Readonly<Record<string, string>>
  /** Release of the server. Default: that of the cluster of `against`, or the default release of Binnacle. */
  readonly release?: string
  /** Feature gates that differ from the defaults. */
  readonly gates?: Readonly<Record<string, boolean>>
  /** Versions that are served in addition, as --runtime-config of the server: `resource.k8s.io/v1beta1=true`. */
  readonly runtimeConfig?: string
  /** Files and folders of CustomResourceDefinitions that are defined before the check. */
  readonly crds?: readonly string[]
  /**
   * Etcd snapshot, data directory, file or folder of `kubectl get -o yaml`, must-gather, or kubeconfig. It is only
   * read.
   */
  readonly against?: string
  /** Context of the kubeconfig. Default: the current one. */
  readonly context?: string
  /** Prefix of the keys of a snapshot. Default: `/registry`. */
  readonly etcdPrefix?: string
  /** Whether the hash at the end of a snapshot is not verified. Default: false. */
  readonly skipHashCheck?: boolean
  /** File with the EncryptionConfiguration of the cluster, if its snapshot is encrypted. */
  readonly encryptionProviderConfig?: string
  /** Namespace of objects that name none. Default: `default`. */
  readonly namespace?: string
  /**
   * User whose permissions count, such as `jane` or `system:serviceaccount:shop:deployer`. Default: an administrator.
   */
  readonly as?: string
  /** Groups of the user of `as`. Ignored without it. */
  readonly asGroups?: readonly string[]
  /** Field manager of applies. Default: `kubectl`. */
  readonly fieldManager?: string
  /** Whether fields of other managers are taken over without a finding. Default: false. */
  readonly forceConflicts?: boolean
  /**
   * Whether objects are applied in the order of the input. If not, definitions, namespaces and policies come first.
   * Default: false.
   */
  readonly asGiven?: boolean
  /** Whether unknown kinds, missing references and pods that would be denied are errors. Default: false. */
  readonly strict?: boolean
  /** Whether defaults that the server sets are notes. Default: false. */
  readonly showDefaults?: boolean
  /** Whether objects have a diff of the stored object. Default: false. */
  readonly diff?: boolean
  /** Files and folders of policies that are in force during the check. */
  readonly policies?: readonly string[]
  /** Files and folders of cases that test `policies`. */
  readonly cases?: readonly string[]
  /** URLs of admission webhooks, by name. Other webhooks are not called. */
  readonly webhooks?: Readonly<Record<string, string>>
}
