import { VIEW } from '../../language/en/questions.js';
import { element } from '../kit/dom.js';
import { allowancesCard } from './allowances-card.js';
import { decidedCard } from './decided-card.js';
import { QuestionBrowser } from './question-browser.js';

/** Questions that wait for the user's decision, one of them in full; what was decided; what is allowed in advance. */
export const approvalsView = {
  name: 'approvals',
  title: VIEW.title,
  about: VIEW.about,
  mount(root, session, page) {
    const questions = new QuestionBrowser(session, page);
    const others = [decidedCard(session, (id) => questions.nameOf(id)), allowancesCard(session)];
    root.append(questions.node, element('div', { className: 'grid wide after-questions' }, ...others));
    return { shown: ({ parts: [id] }) => questions.choose(id) };
  },
};
