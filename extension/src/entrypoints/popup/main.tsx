import { mount } from '../../ui/mount';
import { Popup } from '../../ui/popup';

void mount(Popup);
