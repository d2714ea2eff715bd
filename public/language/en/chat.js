/** Texts of Chat. */
export const chat = {
  asksYou: 'asks you',
  refused: (calls) => `Steward refused ${calls}`,
  asked: (calls) => `Steward asks you about ${calls}`,
  waiting: 'Waiting for the connection',
  cancel: 'Cancel',
  notSent: 'The connection was lost before your message was sent. Send it again.',
  tryAgain: 'Try again',
  details: 'Details',
  brokeOff: 'The model’s answer broke off.',
};

/** How an answer ended early: the words of its mark, and a sentence. */
export const answerEnds = {
  interrupted: {
    mark: 'Interrupted',
    text: 'The service stopped during this answer. Nothing is repeated; a call that was under way may have run.',
  },
  cancelled: { mark: 'Stopped', text: 'What was said and done before remains.' },
  failed: { mark: 'Failed', text: chat.brokeOff },
};
