import { useChat } from '@ai-sdk/react';
import type { Approval } from '@steward/client/types';
import { getToolName, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { type FormEvent, useState } from 'react';
import { steward, transport } from './steward.ts';

type Decide = (id: string, approved: boolean) => Promise<void>;

export function Chat({ id, initial }: { id: string; initial: UIMessage[] }) {
  const [problem, setProblem] = useState('');
  const { messages, sendMessage, addToolApprovalResponse, status, error, stop } = useChat({
    id,
    messages: initial,
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    sendMessage({ text: String(new FormData(event.currentTarget).get('text')) });
    event.currentTarget.reset();
  };
  // Steward decides by its own record: `approve` runs exactly the call that was shown. The response lets the answer go on,
  // and tells the assistant of a call that failed.
  const decide: Decide = async (approvalId, approved) => {
    const failure = await steward.approve(approvalId, approved).catch((thrown) => thrown);
    if (failure.code === 'approval_required') setProblem(failure.message);
    else addToolApprovalResponse({ id: approvalId, approved });
  };
  return (
    <>
      {messages.map(({ id: key, role, parts }) => (
        <section key={key} aria-label={role}>
          {parts.map((part, index) => (
            <Part key={`${index}`} part={part} decide={decide} />
          ))}
        </section>
      ))}
      <p role="alert">{error?.message ?? problem}</p>
      <form onSubmit={send}>
        <input name="text" aria-label="Message" required />
        <button disabled={status === 'submitted' || status === 'streaming'}>Send</button>
        <button type="button" onClick={stop} disabled={status !== 'streaming'}>
          Stop
        </button>
      </form>
    </>
  );
}

function Part({ part, decide }: { part: UIMessage['parts'][number]; decide: Decide }) {
  if (part.type === 'text') return <p style={{ whiteSpace: 'pre-wrap' }}>{part.text}</p>;
  if (!isToolUIPart(part)) return null;
  if (part.state !== 'approval-requested') return <p>{`${getToolName(part)}: ${part.state}`}</p>;
  const { id, descriptor } = part.approval;
  const { summary, notices, input, url } = descriptor as Approval;
  return (
    <fieldset>
      <legend>{summary}</legend>
      <p>{notices.join(' ')}</p>
      <pre>{JSON.stringify(input, null, 2)}</pre>
      <button onClick={() => decide(id, true)}>Approve</button>
      <button onClick={() => decide(id, false)}>Deny</button>
      <a href={url}>Details</a>
    </fieldset>
  );
}
