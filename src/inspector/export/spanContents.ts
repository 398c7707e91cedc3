/** What people, models and tools wrote, as attributes of spans: opt-in, as the conventions ask. Whole, so a file with it may be large. */
import { historyFold } from "../../history/fold";
import type { EventOf, Logged, ReplyCall } from "../../schema/event";
import type { Attributes } from "./otlpJson";
import { inputMessages, outputMessages, systemInstructions, toolDefinitions } from "./otlpMessages";
import { FINISH_REASONS } from "./otlpNames";

/** Follows the log beside the spans: what a request carried is what the history had then. */
export class SpanContents {
  readonly #written = new Map<string, string>(); // arguments of calls that Thimble has not seen yet
  #history = historyFold.begin();

  /** Called with every event, in order, before its spans are made. */
  take(event: Logged): void {
    this.#history = historyFold.reduce(this.#history, event);
  }

  onConfigured({ system, tools }: EventOf<"configured">): Attributes {
    return {
      "gen_ai.system_instructions": systemInstructions(system),
      "gen_ai.tool.definitions": toolDefinitions(tools),
    };
  }

  onRequest(): Attributes {
    return { "gen_ai.input.messages": inputMessages(this.#history.messages) };
  }

  onReply({ text, calls, end }: EventOf<"replied">): Attributes {
    return {
      "gen_ai.output.messages": outputMessages({ role: "assistant", text, calls }, FINISH_REASONS[end]),
    };
  }

  onProposed(call: ReplyCall): Attributes {
    this.#written.set(call.call, call.arguments);
    return { "gen_ai.tool.call.arguments": call.arguments };
  }

  /** The arguments that ran stand in the place of those that the model wrote; the result is what the model was shown. */
  onCall(event: Logged): Attributes {
    switch (event.type) {
      case "clamped": {
        const written = this.#written.get(event.call);
        this.#written.delete(event.call);
        return event.effectiveArguments === null
          ? {}
          : {
              "gen_ai.tool.call.arguments": event.effectiveArguments,
              "cloakroom.arguments_as_written": written,
            };
      }
      case "authorised":
        return { "cloakroom.authorised.reason": event.reason };
      case "remembered":
        return { "gen_ai.tool.call.result": event.text };
      case "redemption_refused":
        return { "cloakroom.redemption.given": event.given };
      default:
        return {};
    }
  }
}
