/** Codes of decisions and refusals in words, as the inspector's page has them. */

const REASONS: ReadonlyMap<string, string> = new Map([
  ["mode_off", "result limits are off"],
  ["unknown_tool_contract", "the policy has no limit for this tool"],
  ["contract_schema_mismatch", "the tool is not the one that the policy's limit was written for"],
  ["invalid_contract", "the policy's limit for this tool is not valid"],
  ["not_read_only", "the tool is not known to be read-only"],
  ["structured_intent", "the session asks for complete results"],
  ["exempt", "the call is exempt"],
  ["invalid_json", "the arguments are not valid JSON"],
  ["ambiguous_argument", "the limit is given twice"],
  ["argument_missing", "no limit was asked for"],
  ["not_an_integer", "the limit is not a whole number"],
  ["outside_range", "the limit is outside its legal range"],
  ["paged_argument", "it asks for a later page"],
  ["within_budget", "within the policy's limit"],
  ["requested_items_above_policy_maximum", "more than the policy's maximum"],
  ["observe_only", "limits are only observed"],
  ["hard_maximum", "more than the hard maximum"],
  ["items", "more items than its envelope"],
  ["bytes", "more bytes than its envelope"],
  ["tokens", "more tokens than its envelope"],
  ["unknown_tool", "there is no such tool"],
  ["untrusted_workspace", "the workspace is not trusted"],
  ["denied", "it was not allowed"],
  ["tool_threw", "the tool failed unexpectedly"],
]);

/** One that is not of ours is shown as it is, a code of somebody's with spaces. */
export const reasonName = (reason: string): string =>
  REASONS.get(reason) ?? (/^[a-z]+(?:_[a-z]+)*$/.test(reason) ? reason.replaceAll("_", " ") : reason);
