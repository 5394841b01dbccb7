import type { Stability } from '../lib/metrics.ts'
import { compareReleases, isSince, minorOf, type Release } from './release.ts'

/** State of a metric in a release. */
export interface MetricState {
  readonly stability: Stability
  /** Version that deprecated it, such as `1.34.0`, or undefined. */
  readonly deprecated: string | undefined
  /** Whether it is hidden, unless the operator asks for metrics of the previous release. */
  readonly hidden: boolean
}

/** Stability of a metric, and the first release with it. */
type Stage = readonly [from: Release, stability: Stability]

interface MetricLife {
  /** Oldest first. The metric does not exist before the first. */
  readonly stages: readonly Stage[]
  readonly deprecated?: { readonly version: Release; readonly announcedFrom: Release }
  /** First release without it. */
  readonly removed?: Release
}

const life = (...stages: readonly Stage[]): MetricLife => ({ stages })
const alphaSince = (from: Release): MetricLife => life([from, 'ALPHA'])
/** Metrics of component-base's work queues. */
const QUEUE = life(['1.24', 'ALPHA'], ['1.36', 'BETA'])
/** Metrics of authentication and authorization configurations. */
const CONFIG_RELOAD = life(['1.30', 'ALPHA'], ['1.34', 'BETA'])
/** Metrics of API priority and fairness. */
const QUEUING = life(['1.24', 'ALPHA'], ['1.28', 'BETA'])
/** Counts of lists from the watch cache. */
const CACHE_LISTS: MetricLife = { stages: [['1.24', 'ALPHA']], deprecated: { version: '1.37', announcedFrom: '1.37' } }
/** Sizes and counts of watch events, and flaws in certificates of webhooks. */
const BETA_IN_37 = life(['1.24', 'ALPHA'], ['1.37', 'BETA'])
const BORROWING = alphaSince('1.26')
const POLICY_CHECK = life(['1.26', 'ALPHA'], ['1.31', 'BETA'])

/**
 * Metrics that differ among releases. Others are as declared. Source: the declarations in k8s.io/apiserver and
 * k8s.io/component-base at the tag of each release.
 */
const LIVES: Readonly<Record<string, MetricLife>> = {
  apiserver_admission_match_condition_evaluation_errors_total: alphaSince('1.28'),
  apiserver_admission_match_condition_evaluation_seconds: alphaSince('1.28'),
  apiserver_admission_match_condition_exclusions_total: alphaSince('1.28'),
  apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds: CONFIG_RELOAD,
  apiserver_authentication_config_controller_automatic_reloads_total: CONFIG_RELOAD,
  apiserver_authentication_config_controller_last_config_info: alphaSince('1.34'),
  apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info: alphaSince('1.35'),
  apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds: alphaSince('1.35'),
  apiserver_authentication_jwt_authenticator_latency_seconds: alphaSince('1.30'),
  apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds: CONFIG_RELOAD,
  apiserver_authorization_config_controller_automatic_reloads_total: CONFIG_RELOAD,
  apiserver_authorization_config_controller_last_config_info: alphaSince('1.34'),
  apiserver_authorization_decisions_total: alphaSince('1.30'),
  apiserver_authorization_match_condition_evaluation_errors_total: alphaSince('1.30'),
  apiserver_authorization_match_condition_evaluation_seconds: alphaSince('1.30'),
  apiserver_authorization_match_condition_exclusions_total: alphaSince('1.30'),
  apiserver_authorization_webhook_duration_seconds: alphaSince('1.30'),
  apiserver_authorization_webhook_evaluations_fail_open_total: alphaSince('1.30'),
  apiserver_authorization_webhook_evaluations_total: alphaSince('1.30'),
  apiserver_cache_list_fetched_objects_total: CACHE_LISTS,
  apiserver_cache_list_returned_objects_total: CACHE_LISTS,
  apiserver_cache_list_total: CACHE_LISTS,
  apiserver_egress_dialer_dial_start_total: alphaSince('1.26'),
  apiserver_envelope_encryption_dek_source_cache_size: alphaSince('1.29'),
  apiserver_envelope_encryption_invalid_key_id_from_status_total: alphaSince('1.27'),
  apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds: alphaSince('1.27'),
  apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds: alphaSince('1.27'),
  apiserver_envelope_encryption_key_id_hash_total: alphaSince('1.27'),
  apiserver_envelope_encryption_kms_operations_latency_seconds: alphaSince('1.27'),
  apiserver_flowcontrol_current_executing_requests: QUEUING,
  apiserver_flowcontrol_current_executing_seats: life(['1.28', 'BETA']),
  apiserver_flowcontrol_current_inqueue_requests: QUEUING,
  apiserver_flowcontrol_current_inqueue_seats: alphaSince('1.28'),
  apiserver_flowcontrol_current_limit_seats: BORROWING,
  apiserver_flowcontrol_demand_seats: BORROWING,
  apiserver_flowcontrol_demand_seats_average: BORROWING,
  apiserver_flowcontrol_demand_seats_high_watermark: BORROWING,
  apiserver_flowcontrol_demand_seats_smoothed: BORROWING,
  apiserver_flowcontrol_demand_seats_stdev: BORROWING,
  apiserver_flowcontrol_dispatched_requests_total: QUEUING,
  apiserver_flowcontrol_lower_limit_seats: BORROWING,
  apiserver_flowcontrol_nominal_limit_seats: life(['1.26', 'ALPHA'], ['1.28', 'BETA']),
  apiserver_flowcontrol_priority_level_request_utilization: alphaSince('1.25'),
  apiserver_flowcontrol_priority_level_seat_utilization: alphaSince('1.25'),
  apiserver_flowcontrol_read_vs_write_current_requests: alphaSince('1.25'),
  apiserver_flowcontrol_rejected_requests_total: QUEUING,
  apiserver_flowcontrol_request_concurrency_in_use: {
    stages: [['1.24', 'ALPHA']],
    deprecated: { version: '1.31', announcedFrom: '1.31' },
    removed: '1.37',
  },
  apiserver_flowcontrol_request_concurrency_limit: {
    stages: [['1.24', 'ALPHA']],
    deprecated: { version: '1.30', announcedFrom: '1.30' },
    removed: '1.37',
  },
  apiserver_flowcontrol_request_wait_duration_seconds: QUEUING,
  apiserver_flowcontrol_seat_fair_frac: BORROWING,
  apiserver_flowcontrol_target_seats: BORROWING,
  apiserver_flowcontrol_upper_limit_seats: BORROWING,
  apiserver_longrunning_requests: life(['1.24', 'ALPHA'], ['1.25', 'STABLE']),
  apiserver_mutating_admission_policy_check_duration_seconds: alphaSince('1.34'),
  apiserver_mutating_admission_policy_check_total: alphaSince('1.34'),
  apiserver_request_body_size_bytes: alphaSince('1.29'),
  apiserver_request_sli_duration_seconds: alphaSince('1.26'),
  apiserver_resource_objects: alphaSince('1.34'),
  apiserver_resource_size_estimate_bytes: alphaSince('1.34'),
  apiserver_storage_consistency_checks_total: life(['1.33', 'INTERNAL'], ['1.34', 'ALPHA']),
  apiserver_storage_decode_errors_total: alphaSince('1.27'),
  apiserver_storage_events_received_total: life(['1.27', 'ALPHA'], ['1.36', 'BETA']),
  apiserver_storage_list_duration_seconds: alphaSince('1.37'),
  apiserver_storage_objects: { stages: [['1.24', 'STABLE']], deprecated: { version: '1.34', announcedFrom: '1.35' } },
  apiserver_storage_size_bytes: life(['1.28', 'ALPHA'], ['1.30', 'STABLE']),
  apiserver_stream_translator_requests_total: alphaSince('1.30'),
  apiserver_stream_tunnel_requests_total: alphaSince('1.31'),
  apiserver_validating_admission_policy_check_duration_seconds: POLICY_CHECK,
  apiserver_validating_admission_policy_check_total: POLICY_CHECK,
  apiserver_validation_declarative_validation_mismatch_total: life(['1.33', 'BETA']),
  apiserver_validation_declarative_validation_panic_total: life(['1.33', 'BETA']),
  apiserver_validation_declarative_validation_panics_total: alphaSince('1.35'),
  apiserver_validation_declarative_validation_parity_discrepancies_total: alphaSince('1.35'),
  apiserver_watch_cache_consistent_read_total: alphaSince('1.31'),
  apiserver_watch_cache_events_received_total: alphaSince('1.27'),
  apiserver_watch_cache_initialization_duration_seconds: alphaSince('1.37'),
  apiserver_watch_cache_initialization_errors_total: alphaSince('1.37'),
  apiserver_watch_cache_initializations_total: alphaSince('1.25'),
  apiserver_watch_cache_read_wait_seconds: alphaSince('1.30'),
  apiserver_watch_cache_resource_version: alphaSince('1.31'),
  apiserver_watch_events_dispatch_duration_seconds: alphaSince('1.37'),
  apiserver_watch_events_sizes: BETA_IN_37,
  apiserver_watch_events_total: BETA_IN_37,
  apiserver_watch_list_duration_seconds: life(['1.29', 'ALPHA'], ['1.36', 'BETA']),
  apiserver_webhooks_x509_insecure_sha1_total: BETA_IN_37,
  apiserver_webhooks_x509_missing_san_total: BETA_IN_37,
  authorization_attempts_total: alphaSince('1.28'),
  authorization_duration_seconds: alphaSince('1.28'),
  etcd_request_errors_total: alphaSince('1.28'),
  etcd_requests_total: alphaSince('1.28'),
  kubernetes_build_info: life(['1.24', 'ALPHA'], ['1.36', 'BETA']),
  kubernetes_feature_enabled: life(['1.26', 'ALPHA'], ['1.28', 'BETA']),
  workqueue_adds_total: QUEUE,
  workqueue_depth: QUEUE,
  workqueue_longest_running_processor_seconds: QUEUE,
  workqueue_queue_duration_seconds: QUEUE,
  workqueue_retries_total: QUEUE,
  workqueue_unfinished_work_seconds: QUEUE,
  workqueue_work_duration_seconds: QUEUE,
}

/**
 * Returns the state of a metric, or undefined if the release does not have it. `declared` is its stability if all
 * releases agree.
 */
export function metricStateOf(name: string, declared: Stability, release: Release): MetricState | undefined {
  const known = Object.hasOwn(LIVES, name) ? LIVES[name] : undefined
  if (known === undefined) return { stability: declared, deprecated: undefined, hidden: false }
  const stability = known.stages.findLast(([from]) => isSince(release, from))?.[1]
  const { deprecated, removed } = known
  if (stability === undefined || (removed !== undefined && isSince(release, removed))) return undefined
  if (deprecated === undefined || !isSince(release, deprecated.announcedFrom)) return { stability, deprecated: undefined, hidden: false }
  return { stability, deprecated: `${deprecated.version}.0`, hidden: isHidden(stability, deprecated.version, release) }
}

/** Number of minor releases for which a deprecated metric is shown, by stability, since 1.35. */
const PERIODS: Readonly<Record<Stability, number>> = { STABLE: 3, BETA: 1, ALPHA: 0, INTERNAL: 0 }

/** Before 1.35 a metric was hidden in the release after its deprecation, whatever its stability. */
function isHidden(stability: Stability, deprecated: Release, release: Release): boolean {
  if (isSince(release, '1.35')) return minorOf(deprecated) + PERIODS[stability] <= minorOf(release)
  return compareReleases(deprecated, release) < 0
}
